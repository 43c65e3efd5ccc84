"""Policies: models of what people play, learned from recorded games, and asked without a network library."""
