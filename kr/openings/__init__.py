"""Openings: the decks that matches and self-play start from, their names and marks."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
