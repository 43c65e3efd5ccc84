"""What is known of each ballot, as data and as pages of `kr theory`; ballots graded for tournaments."""
