"""Matches: players, openings, games, their log, and the Elo between them."""
