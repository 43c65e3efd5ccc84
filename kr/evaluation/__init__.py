"""Evaluations: their kinds, the files that hold their weights, and where a static score comes from."""
