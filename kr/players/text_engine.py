"""Another program's engine that a small file says how to speak to (docs/reference/text-engines.md)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kr.players.hub import FOLDER, START_TIME, VARIABLE, ProgramPlayer, startup_of, startup_text, talk_log
from kr.players.player import PlayerKind, PlayerSpec, Resources
from kr.protocols.text_client import TextClient, TextEngine
from kr.storage import checksum

_PREFIX = "text:"


def _make(spec: PlayerSpec, resources: Resources) -> ProgramPlayer:
    path = Path(spec.text)
    engine, startup = TextEngine.read(path), startup_of(spec)
    # what it is started with tells it apart, not where the file happens to lie
    signature = f"{_PREFIX}{checksum(path.read_bytes())}{startup_text(startup)}"
    if startup.folder is None:
        startup = replace(startup, folder=path.parent)
    with talk_log(resources.log, engine.command) as log:
        client = TextClient(engine, startup, patience=resources.patience, log=log)
    return ProgramPlayer(client, spec.text, signature)


KIND = PlayerKind(
    prefix=_PREFIX, texts=("text:FILE",), make=_make, settings=(FOLDER, START_TIME, VARIABLE), has_commas=True,
    starts_program=True, names_itself=True,
)  # fmt: skip
