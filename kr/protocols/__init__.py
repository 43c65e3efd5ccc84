"""Protocols: kr as an engine for other programs, and other programs as opponents of kr."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
