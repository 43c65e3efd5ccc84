"""Repeats the figures of docs/measurements.toml, and checks that pages quote them. Half an hour for all by default.

    python bench/figures.py [--only WORDS] [--expensive] [--check]

An entry with `repeat` is deterministic: its command gives equal numbers on each run. Its command is run, its numbers
are read from the JSON that this prints, and written into the file with the day and the commit. Entries that are
`expensive` are repeated with --expensive, or if --only names them; all others have a reason not to be (`unrepeated`).
Results stay in build/figures until the code changes: run the same command to resume.

Then each page of `quoted` must quote the numbers as they are; --check does this alone. The exit code is 1 if a page
quotes another number, or a command fails.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import signal
import string
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
MEASUREMENTS = Path("docs", "measurements.toml")
BUILD = Path("build", "figures")
CODE = ("kr", "bench", "selfplay", "weights", "egdb", "setup.py", ":!bench/figures.py", ":!*.md")
"""Paths of git that figures depend on."""
NUMERIC_VARIABLES = ("OPENBLAS_", "OMP_", "MKL_", "NPY_", "KR_")
"""Prefixes of environment variables that may change numbers; figures are repeated without any."""
Figure = dict[str, Any]


class FigureError(Exception):
    """A figure can't be repeated."""


# -- quotes of pages ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Misquote:
    """A place where a page differs from the figures."""

    page: str
    line: int | None
    """None if the sentence isn't there."""
    what: str
    """The figure's name."""
    fault: str

    def __str__(self) -> str:
        place = self.page if self.line is None else f"{self.page}:{self.line}"
        return f"{place}: {self.fault} ({self.what})"


def misquotes(figures: Sequence[Figure], checkout: Path = CHECKOUT) -> list[Misquote]:
    """Quotes that differ from the figures' numbers, or that their pages don't have exactly once."""
    texts: dict[str, str] = {}
    wrong: list[Misquote] = []
    for figure in figures:
        for page, quote in quotes(figure):
            if page not in texts:
                texts[page] = (checkout / page).read_text(encoding="utf-8") if (checkout / page).is_file() else ""
            wrong += _misquoted(figure, page, texts[page], quote)
    return wrong


def quotes(figure: Figure) -> Iterator[tuple[str, str]]:
    """Pages that quote a figure, each with the words of the quote."""
    for page, texts in figure.get("quoted", {}).items():
        for quote in [texts] if isinstance(texts, str) else texts:
            yield page, quote


def _misquoted(figure: Figure, page: str, text: str, quote: str) -> Iterator[Misquote]:
    what, numbers = figure["what"], figure.get("numbers", {})
    matches = list(re.finditer(pattern(quote, numbers), text))
    if len(matches) != 1:
        where = "not there" if not matches else f"there {len(matches)} times"
        yield Misquote(page, None, what, f"expected once, but {where}: {quote.format_map(numbers)!r}")
        return
    for name, value in matches[0].groupdict().items():
        if " ".join(value.split()) != numbers[name]:
            line = 1 + text.count("\n", 0, matches[0].start(name))
            yield Misquote(page, line, what, f"quotes {' '.join(value.split())!r}, not {numbers[name]!r}")


def quoted_spans(figures: Sequence[Figure], page: str, text: str) -> list[tuple[int, int]]:
    """Where a page quotes numbers."""
    return [
        match.span(name)
        for figure in figures
        for named, quote in quotes(figure)
        if named == page
        for match in re.finditer(pattern(quote, figure.get("numbers", {})), text)
        for name in match.groupdict()
    ]


def pattern(quote: str, numbers: Mapping[str, str]) -> str:
    """A regular expression for the words of a quote, with any numbers of the form of those that are right."""
    # no end of a longer number
    parts = [r"(?<![\d.,+-])"] if quote.startswith("{") else []
    for words, name, _, _ in string.Formatter().parse(quote):
        parts.append(r"\s+".join(map(re.escape, re.split(r"\s+", words))))
        if name is not None:
            parts.append(f"(?P<{name}>{_any_number(numbers[name])})")
    return "".join(parts)


def _any_number(number: str) -> str:
    """A regular expression for numbers of this form."""
    forms = {"sign": r"[+-]?", "digits": r"\d(?:[\d,.]*\d)?", "space": r"\s+"}
    tokens = re.finditer(r"(?P<sign>[+-](?=\d))|(?P<digits>\d(?:[\d,.]*\d)?)|(?P<space>\s+)|(?P<other>.)", number)
    return "".join(forms.get(str(token.lastgroup), re.escape(token[0])) for token in tokens)


# -- commands and their results ----------------------------------------------------------------------------------------


class _Fields(string.Formatter):
    """Fields are paths into JSON: `{0.summary.all.solved}`, with the number of the command's line first.

    The sum of a number over a list is `{0.samples.sum.positions}`.
    """

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        value: Any = args
        for name in field_name.replace(".sum.", ".sum:").split("."):
            try:
                value = _within(value, name)
            except (KeyError, IndexError, TypeError, ValueError):
                raise FigureError(f"no {name!r} of {field_name!r} in what the command printed") from None
        return value, field_name


def _within(value: Any, name: str) -> Any:
    if isinstance(value, list) and name.startswith("sum:"):
        return sum(each[name.removeprefix("sum:")] for each in value)
    return value[int(name)] if isinstance(value, list | tuple) else value[name]


def filled(form: str, results: Sequence[Any]) -> str:
    """A form with fields of the results."""
    return _Fields().format(form, *results)


def command_lines(figure: Figure) -> list[str]:
    """The lines of a figure's command; where the form reads their JSON, with --json."""
    lines = figure["command"].replace("\\\n", " ").strip().splitlines()
    read = {
        int(name.split(".")[0])
        for form in figure["repeat"].values()
        for _, name, _, _ in string.Formatter().parse(form)
        if name
    }
    return [shlex.join(shlex.split(line)) + " --json" * (number in read) for number, line in enumerate(lines)]


@dataclass(frozen=True)
class Code:
    """The code that figures rest on."""

    commit: str
    fingerprint: str

    @classmethod
    def of_checkout(cls) -> Code:
        """Raises FigureError if it has changes that are in no commit."""
        if changed := _git("status", "--porcelain", "--", *CODE):
            first, *others = changed.splitlines()
            more = f" and {len(others)} more" if others else ""
            raise FigureError(f"changes in no commit: {first[3:]}{more}; figures name the commit that they are of")
        listed = _git("ls-files", "-s", "--", *CODE)
        return cls(_git("rev-parse", "--short=7", "HEAD"), hashlib.sha256(listed.encode()).hexdigest()[:32])


def _git(*words: str) -> str:
    process = subprocess.run(["git", *words], cwd=CHECKOUT, capture_output=True, text=True)
    if process.returncode:
        raise FigureError(f"git {words[0]}: {process.stderr.strip() or 'failed'}")
    return process.stdout.rstrip()


@dataclass(frozen=True)
class CommandResult:
    """Result of a command line."""

    output: Any
    """JSON; None for a command without --json."""
    date: str
    commit: str


class Workshop:
    """The directory of the files and output of commands, valid until the code changes."""

    def __init__(self, code: Code, directory: Path = CHECKOUT / BUILD) -> None:
        self.code, self.results = code, directory / "results"
        if not (self.results / f"{code.fingerprint}.code").is_file():
            shutil.rmtree(directory, ignore_errors=True)
            self.results.mkdir(parents=True)
            (self.results / f"{code.fingerprint}.code").touch()

    def result(self, line: str) -> CommandResult:
        """Result of a command line, run once. Raises FigureError if it fails."""
        from kr.storage import write_atomic

        path = self.results / f"{hashlib.sha256(line.encode()).hexdigest()[:32]}.json"
        if path.is_file():
            return CommandResult(**json.loads(path.read_text(encoding="utf-8")))
        began = time.monotonic()
        print(f"$ {line}", flush=True)
        printed = run(line)
        print(f"  {time.monotonic() - began:.0f} s", flush=True)
        output = None
        if line.endswith(" --json"):
            try:
                output = json.loads(printed.strip().rpartition("\n")[2])
            except ValueError:
                raise FigureError(f"{line}: the last line that it prints is not JSON") from None
        result = CommandResult(output, datetime.date.today().isoformat(), self.code.commit)
        write_atomic(path, json.dumps(vars(result)))
        return result


def run(line: str) -> str:
    """Standard output of a command, which has this Python's programs first. Raises FigureError if it fails."""
    here = Path(sys.executable).parent
    # another choice of kernels rounds otherwise, and a fit then comes to other tables
    environment = {name: value for name, value in os.environ.items() if not name.startswith(NUMERIC_VARIABLES)}
    environment["PATH"] = f"{here}{os.pathsep}{os.environ.get('PATH', '')}"
    words = shlex.split(line)
    with subprocess.Popen(
        words, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            printed, _ = process.communicate()
        except BaseException:
            # it and its children
            os.killpg(process.pid, signal.SIGTERM)
            raise
    if process.returncode:
        raise FigureError(f"{line}: exit code {process.returncode}")
    return printed


# -- all together ------------------------------------------------------------------------------------------------------


def wanted(figure: Figure, only: str, expensive: bool) -> bool:
    """True if a figure is to be repeated, if it can be."""
    if only:
        return only.casefold() in f"{figure['subject']} {figure['what']} {figure['command']}".casefold()
    return expensive or "expensive" not in figure


def repeated(figure: Figure, workshop: Workshop) -> Figure:
    """A figure after its command: numbers, date and commit. Raises FigureError if that fails."""
    results = [workshop.result(line) for line in command_lines(figure)]
    outputs = [result.output for result in results]
    numbers = {name: filled(form, outputs) for name, form in figure["repeat"].items()}
    return {"numbers": numbers, "date": results[-1].date, "commit": results[-1].commit}


def rewritten(text: str, number: int, new: Figure) -> str:
    """The text of the measurements with the new numbers, date and commit of an entry, and all else as it was."""
    import tomlkit

    document = tomlkit.parse(text)
    entry: Any = document["figure"][number]
    entry["numbers"].update(new["numbers"])
    entry["date"] = datetime.date.fromisoformat(new["date"])
    entry["commit"] = new["commit"]
    return tomlkit.dumps(document)


def listing(title: str, figures: Sequence[tuple[str, Figure]]) -> str:
    """Names of figures with a word for each."""
    return "\n".join([f"{title}:", *(f"  {word}: {figure['what']}" for word, figure in figures)])


def main() -> int:
    """Repeat, rewrite, check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="figures with these words in their subject, name or command")
    parser.add_argument("--expensive", action="store_true", help="those that take long as well: hours")
    parser.add_argument("--check", action="store_true", help="only check what pages quote")
    options = parser.parse_args()
    # ends its children when killed, as after Ctrl-C
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    from kr.errors import KrError

    path = CHECKOUT / MEASUREMENTS
    figures = tomllib.loads(path.read_text(encoding="utf-8"))["figure"]
    try:
        if not options.check:
            refresh(path, figures, options.only, options.expensive)
    except (FigureError, KrError) as error:
        print(f"figures: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("figures: interrupted; run the same command to resume", file=sys.stderr)
        return 130
    wrong = misquotes(tomllib.loads(path.read_text(encoding="utf-8"))["figure"])
    for each in wrong:
        print(each, file=sys.stderr)
    if not wrong:
        print("pages quote what was measured")
    return 1 if wrong else 0


def refresh(path: Path, figures: list[Figure], only: str, expensive: bool) -> None:
    """Repeat figures and write each as soon as it is known."""
    from kr.storage import lock, write_atomic
    from kr.units import counted

    selected = [wanted(figure, only, expensive) for figure in figures]
    if only and not any(selected):
        raise FigureError(f"no figure has {only!r} in its subject, name or command")
    if only and not any(take and "repeat" in figure for take, figure in zip(selected, figures, strict=True)):
        print(listing("not repeated", [(f["unrepeated"], f) for t, f in zip(selected, figures, strict=True) if t]))
        return
    if importlib.util.find_spec("tomlkit") is None:
        raise FigureError("needs tomlkit: make figures installs it, or pip install '.[figures]'")
    code = Code.of_checkout()
    failed = 0
    with lock(path):
        workshop = Workshop(code)
        for number, (old, take) in enumerate(zip(figures, selected, strict=True)):
            if not take or "repeat" not in old:
                continue
            try:
                new = repeated(old, workshop)
            except FigureError as error:
                # the others can do without it
                failed += 1
                print(f"figures: {old['what']}: {error}", file=sys.stderr)
                continue
            changed = [
                f"{name}: {old['numbers'].get(name)} before, {value} now"
                for name, value in new["numbers"].items()
                if old["numbers"].get(name) != value
            ]
            print(f"{old['what']}: {'; '.join(changed) or 'the same'}", flush=True)
            if changed or new["commit"] != old["commit"] or new["date"] != str(old["date"]):
                write_atomic(path, rewritten(path.read_text(encoding="utf-8"), number, new))
    remaining = [
        (figure["unrepeated"] if "unrepeated" in figure else f"expensive, {figure['expensive']}", figure)
        for figure, take in zip(figures, selected, strict=True)
        if not only and (not take or "repeat" not in figure)
    ]
    if remaining:
        print(listing("not repeated", remaining))
    if failed:
        raise FigureError(f"{counted(failed, 'figure')} could not be repeated")


if __name__ == "__main__":
    sys.exit(main())
