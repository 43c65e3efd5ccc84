"""Whole games against the clients of pydraughts, a public library, as they are; skipped where it is not installed."""

import random
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from dxp_peers import SECONDS, Playing, listening
from systems import POSIX

import kr
from kr.game.position import Position
from kr.protocols import dxp_link

draughts = pytest.importorskip("draughts")
from draughts.engine import DXPEngine, HubEngine, Limit  # noqa: E402
from draughts.engines.dxp_communication import dxp_classes  # noqa: E402

ENDING = "W:W18,24,27,28:B12,16,20,K31"


@pytest.fixture(autouse=True)
def no_long_goodbye(monkeypatch):
    """Its connection is closed without the seven seconds that it sleeps before; nothing else of it is touched."""
    monkeypatch.setattr(dxp_classes, "time", SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setattr(dxp_link, "CLOSE_SECONDS", 0.1)


def in_time(run):
    """Value of a function; its client waits without end where an answer does not come."""
    returned = []
    Playing(lambda to: returned.append(run())).end(120)
    return returned[0]


def texts(moves) -> list[tuple[int, int, int]]:
    """The part on which both sides must agree: from, to, and the number of captured pieces."""
    return [(move.origin + 1, move.target + 1, move.captured.bit_count()) for move in moves]


def its_text(move) -> tuple[int, int, int]:
    return move.steps_move[0], move.steps_move[-1], len(move.captures)


def its_texts(board) -> list[tuple[int, int, int]]:
    return [its_text(move) for move in board.move_stack]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fen", "own", "frame", "plies"),
    [("startpos", 0, "pdn", 200), ("startpos", 1, "pdn", 200), (ENDING, 0, "mover", 20), (ENDING, 1, "mover", 20)],
)
def test_its_dxp_client_plays_games(fen, own, frame, plies):
    """own: which moves it makes itself, those of the side that begins (0) or the others."""
    kr_side, address = listening(games=1, frame=frame)
    board = draughts.Board(variant="english", fen=fen)

    def play():
        client = DXPEngine(options={"engine-opened": True, "port": address.rsplit(":", 1)[1]})
        chance = random.Random(2)
        while not board.is_over() and len(board.move_stack) < plies:
            if len(board.move_stack) % 2 == own:
                board.push(chance.choice(board.legal_moves()))
            elif move := client.play(board).move:
                board.push(move)
            else:
                break
        client.quit()

    in_time(play)
    [game] = kr_side.end()
    start = Position() if fen == "startpos" else Position.from_fen(fen)
    assert (game.start, game.opponent, game.faulty) == (start, "DXP Client", False)
    # a last move of its own that ends the game is not sent
    assert texts(game.moves) == its_texts(board)[: len(game.moves)]
    assert len(game.moves) >= len(board.move_stack) - 1
    if game.result != "*" and board.winner():
        assert game.result == {draughts.BLACK: "1-0", draughts.WHITE: "0-1"}[board.winner()]


@pytest.mark.slow
def test_its_take_back():
    kr_side, address = listening(games=1, frame="mover")

    def play():
        board = draughts.Board(variant="english")
        client = DXPEngine(options={"engine-opened": True, "port": address.rsplit(":", 1)[1]})
        for _ in range(3):
            board.push(client.play(board).move)
            board.push(board.legal_moves()[0])
        board.push(client.play(board).move)
        client.sender.chat("one moment")
        granted, board, answer = client.takeback(2, draughts.WHITE)
        assert granted
        assert len(board.move_stack) == 2
        board.push(answer.move)
        board.push(board.legal_moves()[-1])
        board.push(client.play(board).move)
        client.quit()
        return board

    board = in_time(play)
    [game] = kr_side.end()
    assert texts(game.moves) == its_texts(board)
    assert kr_side.lines[0] == "DXP Client says: one moment"


@pytest.fixture
def kr_hub(tmp_path, monkeypatch) -> Path:
    """`kr hub` as one file, because pydraughts runs the file behind a link: of an environment's python, another one."""
    script = tmp_path / ("kr-hub" if POSIX else "kr-hub.cmd")
    options = "--weights material --hash 1MB --egdb none"
    run = "#!/bin/sh\nexec " if POSIX else "@"
    script.write_text(f'{run}"{sys.executable}" -m kr hub {options}\n')
    script.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(Path(kr.__file__).parents[1]))
    return script


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fen", "own", "plies", "settings"),
    [
        ("startpos", 1, 200, {}),
        ("startpos", 0, 200, {"variant": "english", "book": True}),
        ("startpos", 1, 40, {"frame": "mover"}),
        (ENDING, 1, 10, {"frame": "mover"}),
    ],
)
def test_its_hub_client_plays_games(kr_hub, fen, own, plies, settings):
    """own: which moves it makes itself, those of the side that begins (0) or the others."""
    chance = random.Random(4)
    engine = HubEngine([str(kr_hub)])
    try:
        assert engine.variants == {"english"}
        engine.configure(settings)
        engine.init()
        board = draughts.Board(variant="english", fen=fen)
        position = Position() if fen == "startpos" else Position.from_fen(fen)
        while not board.is_over() and len(board.move_stack) < plies:
            if len(board.move_stack) % 2 == own:
                choice = chance.choice(board.legal_moves())
            else:
                result = engine.play(board, Limit(nodes=500), False)
                choice = result.move
                assert result.info["depth"] >= 1
            [move] = [move for move in position.legal_moves() if texts([move]) == [its_text(choice)]][:1]
            position = position.play(move)
            board.push(choice)
        assert len(board.move_stack) > 2
        engine.quit()
        assert engine.p.wait(SECONDS) == 0
    finally:
        if engine.p.poll() is None:
            engine.kill_process()
