"""Learning: records of games, self-play, samples, the fit of region tables, training by generations."""
