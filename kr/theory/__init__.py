"""Opening theory: books that grow, what is known of each ballot, and where people go wrong."""
