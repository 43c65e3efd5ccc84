"""Collections of games: read, converted, counted, searched; the names of openings."""
