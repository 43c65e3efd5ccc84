"""Players that evolve: networks that learn nothing but who won, by selection, mutation and crossing."""
