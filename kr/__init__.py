"""kr: a draughts engine to read, retrain and install, and the laboratory that trained it.

    import kr

    engine = kr.Engine()
    print(kr.analyze(engine, kr.Position(), kr.Limits(time=1.0), multipv=3).lines)

The public names are listed once, in `__init__.pyi`. Each is imported when it is first asked for.
"""

import lazy_loader

__version__ = "0.3.0.dev0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
