"""Players by the text that names them: settings of their own, and what is refused."""

import re

import pytest
from tables import save_random

from kr.engine.limits import Limits
from kr.errors import InvalidSettingError, InvalidWeightsError, KrError, ProtocolError
from kr.game.position import Position
from kr.players.own import EnginePlayer
from kr.players.registry import player_from_spec


@pytest.mark.parametrize(
    ("spec", "error"),
    [("", InvalidSettingError), ("no/such.h5", InvalidWeightsError), ("hub:no-such-engine-here", ProtocolError)],
)
def test_players_that_do_not_exist(spec, error):
    with pytest.raises(error):
        player_from_spec(spec, 1)


def test_players_have_search_options() -> None:
    player = player_from_spec("material,egdb=none,etc_depth=99,lmr_move=4", 1)
    assert player.name == "material,egdb=none,etc_depth=99,lmr_move=4"
    assert player.signature != player_from_spec("material,lmr_move=4", 1).signature


def test_players_have_threads_and_a_hash_table_of_their_own() -> None:
    player = player_from_spec("material,threads=2,single_reply=0,hash=2MB", 1)
    assert isinstance(player, EnginePlayer)
    assert (player.engine.threads, player.engine.hash_mb) == (2, 2)
    assert player.name == "material,threads=2,hash=2MB,single_reply=0"
    assert len({player_from_spec(f"material{own}", 1).signature for own in ("", ",threads=2", ",hash=2MB")}) == 3
    reply = player.search(Position(), Limits(depth=9), ())
    assert reply.depth == 9


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("material,threads=0", "threads: 0 is out of range; expected 1 to 1024"),
        ("material,threads=two", "material,threads=two"),
        ("material,hash=4", "material,hash=4"),
        ("material,etc_depth=1", "search option etc_depth: 1 is out of range; expected 2 to 99"),
        ("material,etc_depth=x", "search option etc_depth is 'x', not a whole number"),
        ("material,nothing=1", "unknown setting 'nothing'; choose from egdb, hash, threads, level"),
        ("shipped,lmr_mvoe=4", "unknown setting 'lmr_mvoe'; did you mean lmr_move"),
        ("shipped,lmr_mvoe=4,hash=2MB", "unknown setting 'lmr_mvoe'"),
        ("material,Hash=2MB", "unknown setting 'Hash'; did you mean hash?"),
        ("material,level", "level needs a value"),
        ("material,", "unknown setting ''"),
        ("material,hash=1MB,hash=2MB", "sets hash twice"),
        ("material,etc_depth=8,hash=1MB,etc_depth=9", "sets etc_depth twice"),
        ("no,such/file.h5", "no,such/file.h5: no such file"),
        ("hub:engine,start=soon", "start: 'soon' is not a duration"),
        ("hub:engine,env.=2", "env. needs a name, as in env.THREADS=2"),
        ("hub:engine,start=1s,start=2s", "sets start twice"),
    ],
)
def test_unknown_player_settings_are_refused(spec: str, expected: str) -> None:
    with pytest.raises(KrError, match=re.escape(expected)):
        player_from_spec(spec, 1)


@pytest.mark.slow
def test_a_comma_and_an_equals_sign_may_be_part_of_a_file_name(tmp_path):
    path = save_random(tmp_path / "lmr_move,lmr_mvoe=4.h5")
    assert player_from_spec(f"{path},lmr_move=4", 1).name == "lmr_move,lmr_mvoe=4,lmr_move=4"
