# The compiled core tells no types; position.py, engine.py and the lab give what comes from it theirs.
from typing import Any

def __getattr__(name: str) -> Any: ...
