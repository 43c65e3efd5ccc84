"""Policies: models of the moves that people play, learned from recorded games; no network library needed."""
