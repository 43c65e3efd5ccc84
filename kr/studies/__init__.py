"""Studies beside the engine: what people play, networks for endings, players that evolve."""
