"""Endgame databases: build, files, probing, verification."""
