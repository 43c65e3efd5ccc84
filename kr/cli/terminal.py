"""A game in the terminal, or line by line for a program: prints the events of kr.play.play and reads the input."""

from __future__ import annotations

import glob
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kr.cli import boards, console
from kr.play.table import Event, TimeUp, View
from kr.system import within
from kr.text import visible_lines

if TYPE_CHECKING:
    from rich.console import Console

EVENT_INDENTS = {"help": 8}
"""Indent of folded text by kind of event, if it isn't 2."""


class Terminal:
    """Text for people, with coloured boards if the terminal has colours and completion if there is readline."""

    def __init__(self) -> None:
        from rich.console import Console

        self._out: Console = Console(highlight=False, soft_wrap=True)
        self._typed = sys.stdin is not None and sys.stdin.isatty()
        self._words: list[str] = []
        self._waiting = 0
        """Length of the line that shows that an engine is thinking."""
        if self._typed:
            self._complete()

    def tell(self, event: Event) -> None:
        """Print an event."""
        from rich.text import Text

        if event.kind == "thinking":
            # replaced by the next line
            if sys.stdout.isatty():
                console.put(event.text, end="\r", flush=True)
                self._waiting = len(event.text)
            return
        if self._waiting:
            console.put(" " * self._waiting, end="\r")
            self._waiting = 0
        if event.view and event.kind == "end":
            self._draw(event.view)
        if event.text:
            # the command to resume with must stay whole, to be copied
            text = event.text if event.kind == "left" else console.fold(event.text, EVENT_INDENTS.get(event.kind, 2))
            self._out.print(Text(visible_lines(text), "red" if event.kind == "error" else ""))
        if event.view and event.kind != "end":
            self._draw(event.view)

    def ask(self, prompt: str, words: Sequence[str], seconds: float | None) -> str:
        """A line typed at the prompt; input that doesn't come from a terminal is echoed."""
        self._words = list(words)
        sys.stdout.flush()
        typed = self._typed and sys.stdout.isatty()
        if not typed:
            console.put(prompt, end="", flush=True)
        try:
            line = within(seconds, partial(input, visible_lines(prompt)) if typed else _line, TimeUp)
        except (EOFError, KeyboardInterrupt, TimeUp):
            console.put()
            raise
        if not typed:
            console.put(line)
        return line

    def _draw(self, view: View) -> None:
        console.put()
        boards.show(view.position, flipped=view.flipped, last_move=view.last_move)

    def _complete(self) -> None:
        """Let the tab key complete moves, commands and the name after `save`."""
        try:
            # Windows has none
            readline = import_module("readline")
        except ImportError:
            return

        def complete(text: str, state: int) -> str | None:
            if readline.get_line_buffer().lstrip().lower().startswith("save "):
                matches = sorted(glob.glob(f"{glob.escape(text)}*"))
            else:
                matches = [word for word in self._words if word.startswith(text.lower())]
            return matches[state] if state < len(matches) else None

        readline.set_completer_delims(" ")
        readline.set_completer(complete)
        # some Pythons have editline instead
        editline = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if editline else "tab: complete")
        with suppress(AttributeError):
            readline.set_auto_history(True)


class Lines:
    """Lines for programs: each event is a JSON object on its own line; input is read as it comes."""

    def tell(self, event: Event) -> None:
        """Print an event."""
        text: dict[str, Any] = {"text": event.text} if event.text else {}
        console.emit_json({"event": event.kind, **event.facts, **text})

    def ask(self, prompt: str, words: Sequence[str], seconds: float | None) -> str:
        """The next line of the input."""
        return within(seconds, _line, TimeUp)


def _line() -> str:
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line:
        raise EOFError
    return line.rstrip("\r\n")
