# The compiled core tells no types but that of what users see of it; position.py, engine.py and the lab give what comes
# from it theirs.
from typing import Any

class Stop:
    """Ends the search that it is given to."""

    def set(self) -> None: ...
    def is_set(self) -> bool: ...

def __getattr__(name: str) -> Any: ...
