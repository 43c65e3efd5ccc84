"""Problems: their files, how they are solved, whether they are sound, their variations, and puzzles."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
