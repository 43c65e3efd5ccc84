"""Players that evolve: networks that learn from results of games alone, by selection, mutation and crossing."""
