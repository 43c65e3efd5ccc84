"""Policies learned from recorded games: decisions, fits, and how well they predict."""
