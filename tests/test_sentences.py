"""The sentences of kr/language are those for which Python and the page's scripts ask.

A name is asked for as a whole, Sentence("value.draw") or {say: "value.draw"}, or in parts: a function puts the subject
before it, f"story.{name}", and those who call that give it the rest, "slip.trap" or f"turn.{kind}". What kr web alone
tells stands whole, also in tables of names; words of files are names in parts, named("reason", "no move").
"""

import json
import re
from functools import cache
from pathlib import Path

import kr
from kr.evaluation.patterns import GROUPS
from kr.game.outcome import NO_MOVE, NO_PIECES, NO_PROGRESS, OVERTIME, REPETITION
from kr.language.sentences import texts
from kr.learn.fitting.report import SEEN
from kr.learn.fitting.sums import SETS
from kr.learn.games import REASONS
from kr.learn.training.history import GENERATION_STEPS
from kr.match.game import AGREED_DRAW, AGREED_WIN, FAILURE, UNFINISHED
from kr.web.app import FEATURES

ROOT = Path(kr.__file__).parent
NAMES = sorted(texts("en"))
COACH = Path(__file__).with_name("cases") / "coach.json"
READ = "player."
"""Names of players are read, not told (tests/scripts/comments.test.js)."""
PUBLIC = {"count_of"}
"""Of the functions that put a subject before a name, those that other modules call."""
WHOLE = re.compile(r'(f?)"((?:draughts|fault|grounds|label|limit|match|pdn|reason|refused|runs)\.[a-z0-9_]+)["{]')
"""Names that stand whole wherever they are told, and an f before the quotes."""
WORDS = {
    "reason": (
        *REASONS, NO_MOVE, NO_PIECES, NO_PROGRESS, OVERTIME, REPETITION, AGREED_DRAW, AGREED_WIN, FAILURE, UNFINISHED,
    ),
    "runs": (
        *GROUPS.values(), *SETS, *GENERATION_STEPS, *(f"at least {times}" for times in SEEN),
        "no kings", "entries", "never", "reading", "fitting",
    ),
    "why": tuple({case["kind"] for case in json.loads(COACH.read_text("utf-8"))}),
}  # fmt: skip
NAME = re.compile(r"[a-z*][a-z_0-9.*]*")
STRINGS = re.compile(r'"""[\s\S]*?"""|//.*|# .*|/\*[\s\S]*?\*/|(["`])((?:(?!\1)[^\\\n]|\\.)*)\1(?! in )')
COMPARED = re.compile(r"includes\([^)]*\)")
ASKING = re.compile(r"\bSentence(?=\()|\bsentence(?=\(f)|\bsay:")
MAKERS = [
    re.compile(r'def (\w+)\((\w+): str[^"]*?(?:"""[^"]*""")?[^"]*?\bSentence\(f"(\w+)\.\{\2\}"'),
    re.compile(r"const (\w+) = \((\w+)[^`]*?\{say: `(\w+)\.\$\{\2\}`"),
]
PASSING = re.compile(r"(?:def |\n  )(#?\w+)\([^)]*\bname\b[^{]*?[:{]\s[^:{]*?\b(\w+)\(name\b")


@cache
def sources() -> dict[Path, str]:
    """Modules and scripts, without what is made of them."""
    paths = [path for path in ROOT.rglob("*.*") if path.suffix in (".py", ".js") and "bundle" not in path.parts]
    return {path: path.read_text("utf-8") for path in paths}


@cache
def strings(text: str) -> set[str]:
    """What may be names, or parts of names: * stands for what is put in."""
    found = (match[2] for match in STRINGS.finditer(COMPARED.sub("", text)) if match[2])
    return {name for each in found if NAME.fullmatch(name := re.sub(r"\$?\{[^}]*\}", "*", each))}


def makers(text: str) -> dict[str, str]:
    """Functions that put a subject before a name, and those that pass a name on to them."""
    found = {match[1]: match[3] for form in MAKERS for match in form.finditer(text)}
    return found | {match[1]: found[match[2]] for match in PASSING.finditer(text) if match[2] in found}


def arguments(text: str, begin: int) -> str:
    """What stands in a bracket that begins here, or after a key, as far as it goes."""
    depth = 0
    for end in range(begin, len(text)):
        depth += (text[end] in "([{") - (text[end] in ")]}")
        if depth < 0 or (depth == 0 and text[end] == (")" if text[begin] == "(" else ",")):
            return text[begin:end]
    return text[begin:]


@cache
def asked() -> dict[str, set[Path]]:
    """The names that are asked for, with * for what does not stand where they are, and the files that ask."""
    own = {path: makers(text) for path, text in sources().items()}
    public = {name: subject for found in own.values() for name, subject in found.items() if name in PUBLIC}
    found: dict[str, set[Path]] = {}
    for path, text in sources().items():
        places = [("", match.end()) for match in ASKING.finditer(text)]
        for name, subject in (public | own[path]).items():
            places += [(f"{subject}.", match.end()) for match in re.finditer(rf"(?<!\w){name}(?=\()", text)]
        for subject, begin in places:
            for name in strings(arguments(text, begin)):
                if subject or "." in name:
                    found.setdefault(subject + name, set()).add(path)
        for is_made, name in WHOLE.findall(text):
            assert not is_made, name
            if name not in FEATURES:
                found.setdefault(name, set()).add(path)
    for subject, words in WORDS.items():
        found |= {f"{subject}.{word.replace(' ', '_')}": {ROOT / "language" / "sentences.py"} for word in words}
    return found


@cache
def form_of(name: str) -> re.Pattern[str]:
    """The names that one with * may be."""
    return re.compile(re.escape(name).replace(r"\*", "([a-z_0-9.]+)"))


def is_spelled(name: str, form: str, paths: set[Path]) -> bool:
    """True if a name has this form, and what stands for * is spelled in one of the files, piece by piece."""
    match = form_of(form).fullmatch(name)
    if match is None:
        return False
    pieces = {piece for group in match.groups() for piece in group.split(".") if not piece.isdigit()}
    return any(pieces <= strings(sources()[path]) for path in paths)


def test_each_name_that_is_asked_for_is_that_of_a_sentence() -> None:
    assert [name for name in asked() if not any(map(form_of(name).fullmatch, NAMES))] == []


def test_each_sentence_is_asked_for() -> None:
    # kinds of mistakes are named by their reasons, which the core has
    kinds = {name.removeprefix("kind.") for name in NAMES if name.startswith("kind.")}
    assert kinds - {name.removeprefix("why.") for name in NAMES if name.startswith("why.")} == {"none"}
    names = [name for name in NAMES if not name.startswith((READ, "kind."))]
    assert [name for name in names if not any(is_spelled(name, *each) for each in asked().items())] == []
