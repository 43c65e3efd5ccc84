"""Generations of self-play, fit and match."""
