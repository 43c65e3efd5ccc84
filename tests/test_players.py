"""Players by name: kinds, what they can do, their settings; and that a new kind is one module and one line."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidSettingError, ProtocolError
from kr.game.position import Position
from kr.match.match import play_match
from kr.match.settings import MatchSettings
from kr.pdn import read_games
from kr.play.play import Play
from kr.play.setup import PlaySettings
from kr.play.table import Event
from kr.players import registry
from kr.players.player import Player, PlayerKind, PlayerSpec, Reply, Resources
from kr.players.registry import PLAYER_HELP, PLAYER_KINDS, PLAYER_TEXTS, kind_of, player_from_spec

KR_HUB = f"hub:{sys.executable} -m kr hub --weights material --hash 1MB"


# --- a kind of players as a module of its own would bring it


class DicePlayer:
    """Plays by chance, the same for the same seed in the same place."""

    version = "1"

    def __init__(self, spec: PlayerSpec, resources: Resources) -> None:
        if not spec.text.isdecimal():
            raise InvalidSettingError(f"player {spec.spec!r}: the seed is {spec.text!r}, not a whole number")
        self._seed = int(spec.text)
        self._rest = float(spec.settings.get("rest", 0.0))
        self.name = self.signature = self.source = spec.spec

    def new_game(self) -> None:
        pass

    def search(
        self, position: Position, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        source = random.Random(f"{self._seed} {position.fen} {len(history)}")
        return Reply(source.choice(position.legal_moves()), 0, 0, 0, self._rest)

    def close(self) -> None:
        pass


DICE = PlayerKind(prefix="dice:", texts=("dice:SEED",), make=DicePlayer, settings=("rest", "bias"), repeatable=True)


@pytest.fixture
def with_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "PLAYER_KINDS", (*PLAYER_KINDS, DICE))


@pytest.mark.usefixtures("with_dice")
def test_a_new_kind_plays_matches(tmp_path: Path) -> None:
    settings = MatchSettings(
        a="dice:7", b="dice:7,rest=0.5", ballot="2move", games=4, tc=Limits(nodes=10), hash=1 << 20,
        egdb="none", pdn=tmp_path / "match.pdn", workers=1,
    )  # fmt: skip
    result = play_match(settings)
    assert result.names == ("dice:7", "dice:7,rest=0.5")
    assert len(result.games) == len(list(read_games(tmp_path / "match.pdn"))) == 4
    assert result.efforts()[1].seconds > 0 == result.efforts()[0].seconds


class Mute:
    def tell(self, event: Event) -> None:
        pass

    def ask(self, prompt: str, words: Sequence[str], seconds: float | None) -> str:
        return "resign"


@pytest.mark.usefixtures("with_dice")
def test_a_new_kind_plays_at_the_board() -> None:
    ending = Play.prepare(PlaySettings(black="dice:3", out=Path("none")), Mute()).run()
    assert ending is not None
    assert ending.reason == "resignation"


@pytest.mark.usefixtures("with_dice")
@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("dice:7,nothing=1", "player 'dice:7,nothing=1': unknown setting 'nothing'; choose from rest, bias"),
        ("dice:7,rset=1", "unknown setting 'rset'; did you mean rest?"),
        ("dice:7,rest", "rest needs a value"),
        ("dice:7,rest=1,rest=2", "sets rest twice"),
        ("dice:seven", "the seed is 'seven'"),
        ("dice:7,level=3", "unknown setting 'level'"),
    ],
)
def test_invalid_settings_of_a_new_kind_are_refused(spec: str, expected: str) -> None:
    with pytest.raises(InvalidSettingError) as found:
        player_from_spec(spec)
    assert expected in str(found.value)


# --- the kinds that there are


def test_the_help_names_every_kind() -> None:
    for kind in PLAYER_KINDS:
        for text in kind.texts:
            assert text in PLAYER_TEXTS
            assert text in PLAYER_HELP


@pytest.mark.parametrize(
    ("spec", "prefix"),
    [("shipped", ""), ("a,hub:b.h5", ""), ("", ""), ("hub:kr hub", "hub:"), ("hub:", "hub:"), ("dice:1", "")],
)
def test_kinds_are_known_by_their_prefix(spec: str, prefix: str) -> None:
    kind = kind_of(spec)
    assert kind.prefix == prefix
    assert kind.starts_program == (prefix == "hub:")
    assert not (kind.repeatable and kind.starts_program)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["material", "material,level=2", KR_HUB])
@pytest.mark.parametrize("wait", [0.0, 0.05])
def test_stop_ends_one_search_only(spec: str, wait: float) -> None:
    """Set before the search or during it; the player moves with what it has found, and can play on."""
    player = player_from_spec(spec, 1)
    player.new_game()
    stop = Stop()
    timer = threading.Timer(wait, stop.set)
    timer.start()
    try:
        assert player.search(Position(), Limits(time=3600, nodes=10**12), (), stop).move in Position().legal_moves()
        timer.join(60)
        assert stop.is_set() or spec == "material,level=2"  # its nodes end a search as well
        reply = player.search(Position(), Limits(depth=5), (), Stop())
        assert reply.depth == 5 or spec == "material,level=2"
    finally:
        player.close()


@pytest.mark.slow
def test_closing_a_program_ends_its_search() -> None:
    """Closed from another thread before, in or after a search: everything asked of the player then fails."""
    for wait in (0.0, 0.05):
        player = player_from_spec(KR_HUB, 1)
        ended = threading.Event()
        thread = threading.Thread(target=_play_on, args=(player, ended), daemon=True)
        thread.start()
        time.sleep(wait)
        player.close()
        assert ended.wait(60)
        thread.join(60)
        with pytest.raises(ProtocolError, match="has been closed"):
            player.new_game()


def test_closing_kr_s_own_player_ends_its_search() -> None:
    player = player_from_spec("material", 1)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(player.search, Position(), Limits(time=3600), ())
        # again, as the first may come before the search has begun
        while not found.done():
            time.sleep(0.01)
            player.close()
        assert found.result().move in Position().legal_moves()


def _play_on(player: Player, ended: threading.Event) -> None:
    """Ask for searches that would take an hour each."""
    asks: list[Callable[[], object]] = [
        player.new_game,
        lambda: player.search(Position(), Limits(time=3600), ()),
        player.new_game,
        lambda: player.search(Position(), Limits(time=3600), ()),
    ]
    for ask in asks:
        with suppress(ProtocolError):
            ask()
    ended.set()
