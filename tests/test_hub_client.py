"""The Hub client against kr's own server, and against engines that crash, hang, cheat and talk nonsense."""

import errno
import re
import sys
import threading
import time
from pathlib import Path

import pytest
from systems import CRASHED, NO_FILE, is_alive

from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidSettingError, ProtocolError
from kr.game.position import Position, Side
from kr.players.registry import parse_spec, player_from_spec
from kr.protocols.hub_client import HubClient, read_info
from kr.protocols.hub_text import format_hub_position
from kr.protocols.program import LOG_NAME, Startup, _in_folder
from kr.protocols.talk import TalkLog
from kr.system import join_command
from kr.units import format_duration

KR_HUB = [sys.executable, "-m", "kr", "hub", "--weights", "material", "--hash", "1MB"]
FAULTY = Path(__file__).parent / "hub_engines" / "faulty.py"


def faulty(fault, *heard, **kwargs):
    timeouts = {"startup": Startup(seconds=60.0), "margin": 0.2, "patience": 0.5, **kwargs}
    return HubClient([sys.executable, "-IS", str(FAULTY), fault, *map(str, heard)], **timeouts)


@pytest.mark.slow
def test_client_plays_the_server():
    with HubClient(KR_HUB, {"threads": "1"}, hash_mb=2) as client:
        assert (client.name, client.parameters["weights"], client.is_running) == ("kr", "material", True)
        client.new_game()
        position, history = Position(), []
        for limits in (Limits(depth=4), Limits(nodes=500), Limits(time=0.02), Limits(depth=6)):
            result = client.search(position, limits, history)
            assert result.move in position.legal_moves()
            assert result.pv[0] == result.move
            assert result.depth >= 1
            assert result.nodes >= 1
            # clocks of Windows tick too slowly for so short a search
            assert result.time > 0 or sys.platform == "win32"
            history.append(position)
            position = position.play(result.move)
        assert not position.is_over
        won = client.search(Position.from_fen("B:W18:B15"), Limits(depth=9))
        assert (won.score, str(won.move)) == (29999, "15x22")
    assert not client.is_running


@pytest.mark.slow
def test_positions_are_not_taken_for_turned_ones():
    position = Position(side=Side.WHITE)
    with HubClient(KR_HUB) as client:
        assert client.search(position, Limits(depth=1)).move in position.legal_moves()


def test_only_the_reversible_history_is_sent(tmp_path):
    with faulty("none", tmp_path / "heard") as client:
        position = Position.from_fen("B:WK32,18:BK1,9")
        history = []
        for text in ("9-13", "32-27", "1-6", "27-32"):
            history.append(position)
            position = position.play(text)
        with pytest.raises(ProtocolError):
            client.search(position, Limits(depth=1), history)
    told = [line for line in (tmp_path / "heard").read_text().splitlines() if line.startswith("pos ")]
    assert told == [f'pos pos={format_hub_position(history[1])} moves="32-27 1-6 27-32"']


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "limits", "reason"),
    [
        ("hang", Limits(time=0.01), "hangs: no answer to 'go think' in 0.21s; its last line: ready$"),
        ("hang", Limits(depth=3), "hangs: no answer to 'go think' in 0.5s; its last line: ready$"),
        ("exit", Limits(depth=3), "crashed at 'go think': exit status 7; its last line: ready$"),
        (
            "leave",
            Limits(depth=3),
            "left at 'go think': exit status 0; its last line: ready; on its error stream: bye$",
        ),
        (
            "exit with words",
            Limits(depth=3),
            r"crashed at 'go think': exit status 7?1?; its last line: ready; on its error stream: x{200} / reading "
            r"tables / tables\.dat: no such file\\x1b\[2J$",
        ),
        ("crash", Limits(depth=3), f"crashed at 'go think': {CRASHED}"),
        pytest.param(
            "close",
            Limits(depth=3),
            "closed its output at 'go think'",
            marks=pytest.mark.wine("a console keeps streams open"),
        ),
        ("illegal", Limits(depth=3), "plays an illegal move: 12-13 is not legal in B:W21"),
        ("nonsense", Limits(depth=3), "sends nonsense instead of a move: 'e2e4'"),
        ("no move", Limits(depth=3), "sends nonsense instead of a move: ''"),
        ("error", Limits(depth=3), "reports an error: out of ideas"),
        pytest.param(
            "flood",
            Limits(depth=3),
            r"floods: [\d,]+ lines in 2s, but no answer to 'go think'; its last line: info depth=1 score=0\.1$",
            marks=pytest.mark.wine("lines come late"),
        ),
        ("endless line", Limits(time=0.01), "(hangs|floods): .*; its last line: x{200}$"),
    ],
)
def test_bad_engine_is_named_and_killed(fault, limits, reason):
    # on a busy machine the first line comes late
    client = faulty(fault, patience=2.0 if fault == "flood" else 0.5)
    pid = int(client.version)
    with pytest.raises(ProtocolError, match=f"^hub engine faulty engine {reason}"):
        client.search(Position(), limits)
    assert not client.is_running
    assert not is_alive(pid)
    with pytest.raises(ProtocolError, match="not running"):
        client.search(Position(), limits)
    # the next game starts it again
    client.new_game()
    assert client.is_running
    assert int(client.version) != pid
    client.close()
    assert not is_alive(int(client.version))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("hang at hub", "says no hello: not a line in SECONDS after 'hub'MORE"),
        ("hang after the name", "is slow to start: no answer to 'hub' in SECONDSMORE; its last line: id name="),
        ("hang at init", "is slow to start: no answer to 'init' in SECONDSMORE; its last line: wait"),
        ("exit at hub", "crashed at 'hub': exit status 3"),
        ("error at init", "reports an error: no licence"),
    ],
)
def test_bad_start_is_named(fault, reason):
    # what its Python needs on a busy machine, where it has to say something before
    seconds = 0.3 if fault == "hang at hub" else 2.0 if "hang" in fault else 60.0
    more = f" (start={format_duration(2 * seconds)} in its text gives it more)"
    reason = reason.replace("SECONDS", format_duration(seconds)).replace("MORE", more)
    with pytest.raises(ProtocolError, match=re.escape(reason)):
        faulty(fault, startup=Startup(seconds=seconds))


@pytest.mark.slow
def test_an_engine_that_ignores_quit_is_told_once_and_killed(caplog, tmp_path):
    for _ in range(2):
        client = faulty("no quit", log=TalkLog(tmp_path, "faulty engine"))
        client.close()
        assert not is_alive(int(client.version))
    assert [record.getMessage() for record in caplog.records if record.name == LOG_NAME] == [
        "hub engine faulty engine ignores quit: killed after 2s; its last line: ready"
    ]
    assert all("# ignores quit: killed after 2s\n" in path.read_text() for path in tmp_path.iterdir())


def test_stop_before_the_search_and_in_it():
    with HubClient(KR_HUB) as client:
        for wait in (0.0, 0.1):
            stop = Stop()
            timer = threading.Timer(wait, stop.set)
            timer.start()
            result = client.search(Position(), Limits(time=3600), (), stop)
            timer.join()
            assert wait <= result.time < 5
            assert result.move in Position().legal_moves()
        assert client.search(Position(), Limits(depth=5)).depth == 5


def test_an_engine_that_does_not_stop_is_killed():
    stop = Stop()
    stop.set()
    with faulty("hang") as client:
        with pytest.raises(ProtocolError, match="hangs: no answer to 'stop' in 0.2s"):
            client.search(Position(), Limits(time=3600), (), stop)
        assert not client.is_running


@pytest.mark.slow
def test_hang_at_new_game():
    with faulty("hang at ping") as client, pytest.raises(ProtocolError, match="'ping'"):
        # which is also what it had to start in
        client._startup = Startup(seconds=0.2)
        client.new_game()


def test_noise_is_ignored():
    with faulty("noise") as client:
        result = client.search(Position(), Limits(depth=3))
    assert (str(result.move), result.score, result.depth, result.nodes) == ("9-13", 35, 9, 77)
    assert [str(move) for move in result.pv] == ["9-13"]


def test_only_the_best_line_counts():
    with faulty("none") as client:
        result = client.search(Position(), Limits(depth=3))
    assert (result.score, [str(move) for move in result.pv]) == (12, ["9-13", "22-18"])


def test_every_line_is_heard_and_read():
    heard = []
    with faulty("none") as client:
        client.search(Position(), Limits(depth=3), on_line=heard.append)
    infos = [read_info(args, Position()) for args in heard]
    assert [(info.multipv, info.score, info.depth, info.nodes) for info in infos] == [
        (2, -900, 3, 0), (1, 12, 4, 1000), (2, -900, 3, 0),
    ]  # fmt: skip
    assert [str(move) for move in infos[1].pv] == ["9-13", "22-18"]


@pytest.mark.slow
def test_an_endless_search_of_several_lines_ends_by_its_stop():
    stop, ranks = Stop(), set()

    def on_line(args):
        ranks.add(args.get("multipv", "1"))
        if ranks == {"1", "2", "3"}:
            stop.set()

    with HubClient(KR_HUB) as client:
        assert client.search(Position(), Limits(), (), stop, on_line, 3).depth >= 1
        ranks.clear()
        client.search(Position(), Limits(depth=3), (), None, on_line)
        assert ranks == {"1"}


def test_lines_are_asked_only_of_engines_that_have_them(tmp_path):
    with faulty("none", tmp_path / "heard") as client:
        client.search(Position(), Limits(depth=3), multipv=3)
    assert "multipv" not in (tmp_path / "heard").read_text()


def test_late_answer_is_not_taken_for_the_next():
    with faulty("twice") as client:
        for _ in range(3):
            assert str(client.search(Position(), Limits(depth=3)).move) == "9-13"
            # long enough for the second answer to arrive
            deadline = time.monotonic() + 60
            while client._lines.empty() and time.monotonic() < deadline:
                time.sleep(0.001)


def test_wrapper_and_child_end_together():
    with faulty("child") as client:
        child = int(client.version)
        assert is_alive(child)
    deadline = time.monotonic() + 60
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.001)
    assert not is_alive(child)


def test_options_must_exist():
    with faulty("none", options={"book": "false"}, hash_mb=4) as client:
        assert client.is_running
    with pytest.raises(InvalidSettingError, match="no parameter colour; it has hash, book"):
        faulty("none", options={"colour": "red"})


@pytest.mark.parametrize(
    ("command", "error", "reason"),
    [
        ("/no/such/engine hub", ProtocolError, f"can't be started: ({NO_FILE})"),
        ('kr "hub', InvalidSettingError, "can't be parsed"),
        ("", InvalidSettingError, "empty"),
    ],
)
def test_bad_command_is_named(command, error, reason):
    with pytest.raises(error, match=reason):
        HubClient(command)


def test_client_needs_a_limit():
    with faulty("none") as client, pytest.raises(InvalidSettingError, match="limit"):
        client.search(Position(), Limits())


@pytest.mark.slow
def test_close_ends_a_search_in_another_thread():
    client = faulty("hang", patience=60)
    closer = threading.Timer(0.05, client.close)
    closer.start()
    begin = time.monotonic()
    with pytest.raises(ProtocolError, match="is not running"):
        client.search(Position(), Limits(depth=3))
    closer.join()
    assert time.monotonic() - begin < 30
    assert not is_alive(int(client.version))


READS_BYTES = """
import sys
print("id", "name=" + sys.stdin.buffer.readline().hex())
print("wait", flush=True)
sys.stdin.buffer.readline()
print("ready", flush=True)
sys.stdin.readline()
"""


def test_lines_to_an_engine_end_alike_on_each_system() -> None:
    with HubClient([sys.executable, "-c", READS_BYTES]) as client:
        assert bytes.fromhex(client.name) == b"hub\n"


def test_all_that_is_said_is_in_the_log(tmp_path: Path) -> None:
    log = TalkLog(tmp_path / "logs", "faulty engine")
    with faulty("noise", log=log) as client:
        client.new_game()
        client.search(Position(), Limits(depth=3))
    (path,) = (tmp_path / "logs").iterdir()
    lines = path.read_text("utf-8").splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} [<>!#] ", line) for line in lines)
    said = [line[27:] for line in lines]
    assert said[1] == "> hub"
    for line in ("# starts ", "< wait", "> new-game", "> ping", "< pong", "> go think", "< done move=9-13",
                 "! a warning on stderr", "> quit"):  # fmt: skip
        assert any(each.startswith(line) for each in said), line
    assert said.index("> go think") < said.index("< done move=9-13")


def test_a_log_that_can_not_be_written_ends_the_game(tmp_path: Path) -> None:
    log = TalkLog(tmp_path, "faulty engine")

    class Full:
        def write(self, text):
            raise OSError(errno.ENOSPC, "full")

        def close(self):
            pass

    with faulty("none", log=log) as client:
        log._file.close()
        log._file = Full()
        with pytest.raises(OSError, match="full"):
            for _ in range(2):
                client.new_game()
        log._error = None
        log.close()


def test_an_engine_in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "engine folder"
    folder.mkdir()
    command = join_command([sys.executable, "-IS", str(FAULTY), "folder"])
    player = player_from_spec(f"hub:{command},dir={folder},start=1m,env.FAULTY_WORD=one, two")
    assert (player.name, player.version) == ("engine folder", "one, two")
    assert player.signature == f"hub:{command},dir={folder},env.FAULTY_WORD=one, two one, two"
    player.close()
    # a program of the folder comes before one of that name elsewhere; a path from here stays one from here
    program = folder / ("own.bat" if sys.platform == "win32" else "own")
    program.touch(0o755)
    monkeypatch.chdir(tmp_path)
    assert Path(_in_folder(["own", "x"], Path("engine folder"))[0].lower()) == Path(str(program).lower())
    assert _in_folder(["no-such-program"], folder) == ["no-such-program"]
    assert Path(_in_folder(["bin/engine"], folder)[0]) == tmp_path / "bin" / "engine"
    with pytest.raises(InvalidSettingError, match="dir=nowhere: not a folder"):
        player_from_spec("hub:engine,dir=nowhere")


@pytest.mark.slow
@pytest.mark.wine("job objects have no times")
@pytest.mark.skipif(sys.platform == "darwin", reason="the system doesn't say")
@pytest.mark.parametrize(("fault", "least", "most"), [("busy", 0.15, 1), ("busy child", 0.15, 1), ("idle", 0, 0.1)])
def test_processor_time_of_an_engine(fault: str, least: float, most: float) -> None:
    player = player_from_spec(f"hub:{join_command([sys.executable, '-IS', str(FAULTY), fault])}")
    reply = player.search(Position(), Limits(depth=1), ())
    player.close()
    assert least <= reply.processor <= most
    assert reply.time >= 0.15


@pytest.mark.parametrize(
    ("text", "command", "settings"),
    [
        ("hub:engine --hub", "engine --hub", {}),
        ("hub:engine --only=a,b", "engine --only=a,b", {}),
        ("hub:engine a,name=b,dir=C:\\x y", "engine a,name=b", {"dir": "C:\\x y"}),
        ("hub:engine,dir=/a, b,c , start = 2m", "engine", {"dir": "/a, b,c", "start": "2m"}),
        ("hub:engine --x=1,env.A=b=c,d,env.E=", "engine --x=1", {"env.A": "b=c,d", "env.E": ""}),
    ],
)
def test_commas_of_a_command(text: str, command: str, settings: dict[str, str]) -> None:
    spec = parse_spec(text)
    assert (spec.text, dict(spec.settings)) == (command, settings)
