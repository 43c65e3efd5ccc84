"""Matches between players: games, their log, the Elo between them; what twice the time is worth."""
