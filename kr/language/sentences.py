"""The texts of languages, CODE.json: sentences by their names, and the page's own texts by their English ones.

{"words": {...}, "sentences": {"story": {"no_move": ...}}, "texts": {"viewer/board.js": {"Board": "Damiera"}}}

words: which word stands for which idea, for those who translate. sentences: what kr says and pages tell, by subject;
their names join both, story.no_move. texts: those of scripts, in the order of the scripts, whose names stand above
them; English has none.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("en", "it")


@cache
def texts(code: str) -> dict[str, str]:
    """All texts of a language: by name, or by the English text."""
    file: dict[str, Any] = json.loads(resources.files(__package__).joinpath(f"{code}.json").read_text("utf-8"))
    own = {english: text for group in file.get("texts", {}).values() for english, text in group.items()}
    return own | {
        f"{subject}.{name}": text for subject, group in file["sentences"].items() for name, text in group.items()
    }


@cache
def scripts() -> dict[str, str]:
    """The texts as modules for pages, by their paths beside the other scripts."""
    return {
        f"languages/{code}.js": f"export default {json.dumps(texts(code), ensure_ascii=False)};\n" for code in LANGUAGES
    }
