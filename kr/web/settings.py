"""Settings of `kr web`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kr.archives.archive import CONVENTIONS
from kr.book.book import book_option
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, threads_option, weights_option
from kr.errors import InvalidSettingError
from kr.match.settings import MatchSettings
from kr.proofs.library import proofs_option
from kr.protocols.dxp_link import LOOPBACK
from kr.settings import Settings, option, same_option

USUAL_PORT = 8128
"""Default port, taken if it is free: a browser stores a page's data by its port."""


@dataclass(frozen=True)
class WebSettings(Settings):
    """Files that the pages may show, and the address to serve them at. No other file is opened for a page."""

    files: tuple[Path, ...] = option(
        (), "PDN files to open, also packed by gzip, xz or bzip2; folders of them.", argument=True, metavar="FILE.pdn"
    )
    port: int = option(
        0, "Port to listen on: {allowed}.", low=1, high=65535, zero=f"{USUAL_PORT} or, if that is taken, a free one"
    )
    host: str = option(
        LOOPBACK, "Address to listen on. Any but this machine's own (127.0.0.1, ::1, localhost) lets others in who "
        "have the address that is printed.",
    )  # fmt: skip
    token: bool = option(
        True, "Ask for the token in the address that is printed. Without, every user of this machine can see your "
        "games and runs.",
    )  # fmt: skip
    archive: tuple[Path, ...] = option(
        (), "PDN archive to explore, also packed; its index is kept beside it. May be given several times.",
        metavar="FILE.pdn.xz",
    )  # fmt: skip
    engines: tuple[str, ...] = option(
        (),
        "Another engine to analyse and play with, and for matches, as hub:COMMAND; may be given several times.",
        metavar="hub:COMMAND",
    )
    log: Path | None = same_option(MatchSettings, "log")
    problems: tuple[Path, ...] = option(
        (), "File of problems to solve beside the classic ones; may be given several times.", metavar="FILE"
    )
    results: str = option(
        "english", 'Meaning of "1-0" in PDN of --problems: english (Black won) or white (White won).',
        choices=CONVENTIONS,
    )  # fmt: skip
    proofs: tuple[Path, ...] = proofs_option()
    runs: tuple[Path, ...] = option(
        (), "Directory whose self-play, fits, training and matches are shown; may be given several times.",
        metavar="DIR",
    )  # fmt: skip
    browser: bool = option(True, "Open the page in a browser.")
    weights: str | None = weights_option()
    hash: int = hash_option("of a search, if nobody else searches")
    threads: int = threads_option()
    book: str = book_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        for directory in self.runs:
            if not directory.is_dir():
                raise InvalidSettingError(f"{directory} is not a directory; --runs takes one with runs in it")
