"""Hub 2: the server in scripted conversations."""

import io
import queue
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from shortages import threads_left

from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import Info, SearchResult
from kr.game.position import Position
from kr.protocols.hub import HubServer
from kr.protocols.hub_text import (
    format_hub_position,
)

START = "B" + "b" * 12 + "e" * 8 + "w" * 12
KR_HUB = [sys.executable, "-m", "kr", "hub", "--weights", "material", "--hash", "1MB"]
# two kings, which come back to where they began after four plies
SHUFFLE = "1-6 32-27 6-1 27-32"
KINGS = "B" + "B" + "e" * 30 + "W"


class Conversation:
    """A server in a thread of this process: send lines, expect lines."""

    def __init__(self, make_engine=Engine, **parameters):
        self.sent = queue.Queue()
        self.heard = queue.Queue()
        parameters = {"weights": "material", "hash": "1", **parameters}
        server = HubServer(self, self, parameters, make_engine)
        self.thread = threading.Thread(target=server.serve, daemon=True)
        self.thread.start()

    def readline(self):
        return self.sent.get()

    def write(self, text):
        self.heard.put(text)

    def flush(self):
        pass

    def send(self, line):
        self.sent.put(line + "\n")

    def expect(self, pattern):
        """The match of the next line that isn't an info line, unless one is expected."""
        while True:
            line = self.heard.get(timeout=60)
            assert line.endswith("\n")
            assert "\n" not in line[:-1]
            if pattern.startswith("info") or not line.startswith("info "):
                match = re.fullmatch(pattern, line[:-1])
                assert match, f"expected {pattern!r}, heard {line!r}"
                return match

    def end(self):
        self.sent.put("")
        self.thread.join(timeout=10)
        assert not self.thread.is_alive()


@pytest.fixture
def talk():
    conversations = []

    def start(*args, **parameters):
        conversations.append(Conversation(*args, **parameters))
        return conversations[-1]

    yield start
    for conversation in conversations:
        conversation.end()


MOVE = r"\d+(-\d+|(x\d+)+)"
DONE = rf"done move={MOVE}( ponder={MOVE})?"
NUMBER = r"-?\d+\.\d+"
INFO = (
    rf"info depth=\d+ mean-depth={NUMBER} score={NUMBER} nodes=\d+ time={NUMBER} nps={NUMBER} "
    rf'pv="({MOVE}( {MOVE})*)?"'
)


BLACK_BEGINS = r"(9|1[0-2])-1[3-6]"
WHITE_ANSWERS = r"2[1-4]-(17|18|19|20)"
TURNED_START = "W" + START[1:]
DRAWN_ENDING = "BeWeeweeeeeeeeeeeBbeeeeeeweeeeeee"
ENDING = format_hub_position(Position.from_fen("W:W18,24,27,28:B12,16,20"))
TURNED_ENDING = "Beeeebbeebeeewebeweeeweeeeeeeeeee"
WHITE_ENDS = r"(18|24|27|28)-\d+.*"


def fault(words):
    return rf'error message="[^"\n]*{words}[^"\n]*"'


# lines sent are marked ">", lines expected are patterns; after each script a ping must be answered, and nothing else
SCRIPTS = {
    "handshake": [
        "> hub",
        r'id name=kr version=\S+ author="[^"=]+"',
        "param name=variant value=english type=enum values=english",
        "param name=weights value=material type=string",
        r"param name=hash value=1 type=int min=1 max=\d+",
        r"param name=threads value=1 type=int min=1 max=\d+",
        "param name=egdb value=auto type=string",
        r"param name=egdb-memory value=64 type=int min=0 max=\d+",
        'param name=book value=off type=enum values="off best varied"',
        "param name=book-file value=shipped type=string",
        'param name=against value=off type=enum values="off people"',
        r"param name=multipv value=1 type=int min=1 max=\d+",
        'param name=frame value=auto type=enum values="auto pdn mover"',
        "param name=ponder value=true type=bool",
        "wait",
        "> set-param name=hash value=2",
        "> init",
        "ready",
    ],
    "one search": ["> init", "ready", f"> pos pos={START}", "> level depth=1", "> go think", INFO, DONE],
    "a known draw for people's mistakes": [
        "> set-param name=against value=people",
        f"> pos pos={DRAWN_ENDING}",
        "> go think",
        r"info depth=1 .* score=0.00 nodes=0 .*",
        r"done move=\S+",
    ],
    "start without position or init": ["> level nodes=100", "> go think", DONE],
    "bare pos is the start": [
        f"> pos pos={KINGS}",
        "> pos",
        "> level depth=1",
        "> go think",
        r"done move=(9|1[0-2])-1.*",
    ],
    "single legal move": ["> pos pos=W" + "e" * 14 + "b" + "eew" + "e" * 14, "> go analyze", "done move=18x11x15"],
    "moves": [
        f'> pos pos={START} moves="11-15 22-18 15x22x18"',
        "> level depth=1",
        "> go think",
        r"done move=2[56]x.*",
    ],
    "stop an analysis": ["> level infinite", "> go analyze", INFO, "> ping", "pong", "> stop", DONE],
    "stop at once": ["> go analyze", "> stop", DONE, "> go analyze", "> stop", DONE],
    "stop while idle": ["> stop", "> ponder-hit", "> level depth=4", "> go think", INFO, INFO, INFO, INFO, DONE],
    "a new go ends the old one": ["> go analyze", "> level depth=1", "> go think", DONE, DONE],
    "change of engine ends a search": ["> go analyze", "> set-param name=hash value=2", DONE],
    "new game ends a search": ["> go analyze", "> new-game", DONE],
    "clock": ["> level moves=10 time=0.5 inc=0.01", "> go think", INFO, DONE],
    "ponder, then hit": ["> level move-time=0.02", "> go ponder", INFO, "> ping", "pong", "> ponder-hit", DONE],
    "ponder, then miss": ["> level move-time=0.02", "> go ponder", INFO, "> stop", DONE],
    "ponder hit by infinite": ["> level infinite", "> go ponder", "> ponder-hit", "> ping", "pong", "> stop", DONE],
    "no expected answer": [
        "> set-param name=ponder value=false",
        "> level depth=5",
        "> go think",
        rf"done move={MOVE}",
    ],
    "multipv": [
        "> set-param name=multipv value=2",
        "> level depth=1",
        "> go think",
        INFO,
        INFO.replace("info", "info multipv=2"),
        DONE,
    ],
    "unknown things": ["> hello world=1", "> pos colour=red", "> level depth=1 mood=good", "> go think fast", DONE],
    "malformed lines": [
        '> pos moves="',
        fault("invalid arguments"),
        "> =",
        fault("does not begin with a command"),
        "> pos pos=B",
        fault("invalid position 'B'"),
        "> go think",
        fault("no position to search"),
        f"> pos pos=B{'b' * 32}",
        fault("Black has 32 pieces"),
        f"> pos pos={START} moves=11-16 10-15",
        "> level depth=1",
        "> go think",
        DONE,
        f'> pos pos={START} moves="11-16 11-15"',
        fault("move 2 of pos: 11-15 is not legal"),
        "> pos",
        "> level",
        fault("level: expected"),
        "> level depth=0",
        fault("level depth=0"),
        "> level move-time=soon",
        fault("level move-time=soon"),
        f"> level nodes={'9' * 5000}",
        fault("level nodes=99+ is not"),
        "> level depth=999999999 nodes=10",
        "> go think",
        DONE,
        "> go",
        fault("go: expected one of"),
        "> set-param name=hash value=much",
        fault("hash=much"),
        "> set-param name=hash",
        fault("set-param: expected"),
        "> set-param name=frame value=up",
        fault("frame=up is not one of auto, pdn, mover"),
        "> set-param name=variant value=normal",
        fault("variant=normal is not one of english"),
    ],
    # what other engines have
    "unknown parameters are passed over": [
        "> set-param name=variant value=english",
        "> set-param name=book value=false",
        "> set-param name=book-ply value=4",
        'warning message="unknown parameter book-ply ignored; there are variant, weights, .*"',
        "> set-param name=bb-size value=6",
        'warning message="unknown parameter bb-size .*"',
        "> init",
        "ready",
        "> level depth=1",
        "> go think",
        DONE,
    ],
    "game over": [
        "> pos pos=W" + "e" * 31 + "B",
        "> go think",
        fault("no legal move"),
        "> pos pos=W" + "e" * 13 + "beeb" + "eee" + "w" + "e" * 11,
        "> go analyze",
        fault("no legal move"),
    ],
    "bad weights": [
        "> set-param name=weights value=nothere.h5",
        "> init",
        fault("nothere.h5"),
        "ready",
        "> go think",
        fault("nothere.h5"),
        "> set-param name=weights value=manual",
        "> level depth=1",
        "> go think",
        DONE,
    ],
    # what pydraughts sends for an English game from the start after 11-15 23-19: turned position, true moves
    "turned frame": [
        "> set-param name=frame value=mover",
        '> pos pos=Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww moves="11-15 23-19"',
        "> level depth=1",
        "> go think",
        r"done move=([5-9]|1[0-2])-.*",
    ],
    # and for W:W18,24,27,28:B12,16,20
    "turned frame, White to move": [
        "> set-param name=frame value=mover",
        "> pos pos=Beeeebbeebeeewebeweeeweeeeeeeeeee",
        "> level depth=1",
        "> go think",
        r"done move=(18|24|27|28)-\d+.*",
    ],
    "the other frame is suggested": [
        "> set-param name=frame value=pdn",
        '> pos pos=Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww moves="11-15 23-19"',
        fault("value=mover"),
        "> set-param name=frame value=mover",
        '> pos pos=Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww moves="11-15 23-19"',
        fault("value=pdn"),
    ],
    "the start tells the frame": [
        "> level depth=1",
        f"> pos pos={TURNED_START}",
        "> go think",
        rf"done move={BLACK_BEGINS}.*",
        f'> pos pos={TURNED_START} moves="11-15"',
        "> go think",
        rf"done move={WHITE_ANSWERS}.*",
        f'> pos pos={TURNED_START} moves="11-15 23-19"',
        "> go think",
        r"done move=([1-9]|1[0-5])(-|x).*",
        f"> pos pos={START}",
        "> go think",
        rf"done move={BLACK_BEGINS}.*",
        f'> pos pos={START} moves="11-15"',
        "> go think",
        rf"done move={WHITE_ANSWERS}.*",
    ],
    # a client that sends each position as it is, without moves: W:W18,24,27,28:B12,16,20 turned and as it is
    "the last start tells the frame of what follows": [
        "> level depth=1",
        f"> pos pos={ENDING}",
        "> go think",
        rf"done move={WHITE_ENDS}",
        f"> pos pos={TURNED_START}",
        f"> pos pos={TURNED_ENDING}",
        "> go think",
        rf"done move={WHITE_ENDS}",
        "> new-game",
        f"> pos pos={TURNED_ENDING}",
        "> go think",
        rf"done move={WHITE_ENDS}",
        "> pos",
        "> go think",
        rf"done move={BLACK_BEGINS}.*",
        f"> pos pos={START}",
        f"> pos pos={ENDING}",
        "> go think",
        rf"done move={WHITE_ENDS}",
    ],
    "a frame that is set holds for every position": [
        "> level depth=1",
        f"> pos pos={TURNED_START}",
        "> set-param name=frame value=pdn",
        f"> pos pos={TURNED_START}",
        "> go think",
        rf"done move={WHITE_ANSWERS}.*",
        f"> pos pos={ENDING}",
        "> go think",
        rf"done move={WHITE_ENDS}",
        "> set-param name=frame value=auto",
        f"> pos pos={ENDING}",
        "> go think",
        rf"done move={WHITE_ENDS}",
    ],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_conversation(talk, name):
    conversation = talk()
    for line in SCRIPTS[name]:
        if line.startswith("> "):
            conversation.send(line[2:])
        else:
            conversation.expect(line)
    conversation.send("ping")
    conversation.expect("pong")
    assert conversation.heard.empty()


class Recorder:
    """An engine that plays its first legal move, and keeps what it was asked."""

    def __init__(self, weights, hash_mb, threads, database):
        self.asked = []
        Recorder.made = [*getattr(Recorder, "made", []), (weights, hash_mb, threads, database, self)]

    def start(self, position, limits, history, on_info, multipv, on_end):
        self.asked.append((position, limits, history, multipv))
        pv = (position.legal_moves()[0],)
        on_info(Info(1, 12, 1, 0.0, pv))
        bug = RuntimeError("a bug\nof two lines")
        on_end(bug if limits.nodes == 13 else SearchResult(pv[0], 12, 1, 1, 0.0, pv, ()))
        return SimpleNamespace(close=lambda: None)

    def new_game(self):
        pass


@pytest.fixture
def recorder():
    Recorder.made = []
    return Recorder


def test_history_reaches_the_engine(talk, recorder):
    conversation = talk(recorder)
    conversation.send(f'pos pos={KINGS} moves="{SHUFFLE}"')
    conversation.send("level depth=3 nodes=40")
    conversation.send("go think")
    conversation.expect("done .*")
    [(position, limits, history, multipv)] = recorder.made[-1][4].asked
    assert [format_hub_position(before) for before in history] == [
        KINGS,
        "W" + "e" * 5 + "B" + "e" * 25 + "W",
        "B" + "e" * 5 + "B" + "e" * 20 + "W" + "e" * 5,
        "W" + "B" + "e" * 25 + "W" + "e" * 5,
    ]
    assert position == history[0]
    assert (limits, multipv) == (Limits(depth=3, nodes=40), 1)


def test_parameters_reach_the_engine(talk, recorder):
    conversation = talk(recorder)
    for line in (
        "set-param name=weights value=shipped",
        "set-param name=hash value=8",
        "set-param name=threads value=3",
        "set-param name=egdb value=none",
    ):
        conversation.send(line)
    conversation.send("init")
    conversation.expect("ready")
    assert [made[:4] for made in recorder.made] == [(None, 8, 3, None)]


def test_pondering_runs_without_a_clock(talk, recorder):
    conversation = talk(recorder)
    conversation.send("level time=60")
    for mode, time_limit in (("ponder", None), ("think", pytest.approx(1.99))):
        conversation.send(f"go {mode}")
        conversation.expect("done .*")
        assert recorder.made[-1][4].asked[-1][1].seconds()[0] == time_limit


def test_broken_search_is_an_error_line(talk, recorder):
    conversation = talk(recorder)
    conversation.send("level nodes=13")
    conversation.send("go think")
    conversation.expect(fault("RuntimeError: a bug of two lines"))


@pytest.mark.parametrize("name", ["weights", "egdb"])
@pytest.mark.parametrize("value", ["a\0b", "a" * 5000])
def test_a_missing_file_is_an_error_line(talk, name, value):
    conversation = talk()
    conversation.send(f"set-param name={name} value={value}")
    conversation.send("init")
    conversation.expect(fault(re.escape(repr(value[:10])[1:-1])))
    conversation.expect("ready")


def test_an_engine_without_memory_is_an_error_line(talk):
    def refuse(*_):
        raise MemoryError

    conversation = talk(refuse)
    conversation.send("init")
    conversation.expect(fault("out of memory"))
    conversation.expect("ready")
    conversation.send("go think")
    conversation.expect(fault("out of memory"))


@pytest.mark.posix("no setrlimit")
def test_a_search_without_a_thread_is_an_error_line(talk):
    conversation = talk()
    with threads_left(0):
        conversation.send("go think")
        conversation.expect(fault("cannot start a thread"))
        conversation.send("stop")
    conversation.send("level depth=1")
    conversation.send("go think")
    conversation.expect(DONE)


def run_server(text: bytes, **kwargs):
    return subprocess.run([*KR_HUB], input=text, capture_output=True, timeout=60, check=False, **kwargs)


@pytest.mark.slow
def test_end_of_input_quits_a_search():
    result = run_server(b"hub\ninit\n\xff\xfe pos=\nlevel infinite\ngo analyze\n")
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"\nready\n" in result.stdout


@pytest.mark.posix("no sh")
def test_a_closed_standard_input_ends_the_server():
    command = " ".join([*KR_HUB, "<&-"])
    result = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


def test_a_stop_that_comes_with_go_ends_that_search_and_no_other(talk):
    conversation = talk()
    for _ in range(50):
        for line in ("level infinite", "go think", "stop", "level depth=3", "go think"):
            conversation.send(line)
        conversation.expect(DONE)
        for depth in range(1, 4):
            conversation.expect(f"info depth={depth} .*")
        conversation.expect(DONE)


@pytest.mark.slow
def test_quit_stops_a_search():
    with subprocess.Popen(KR_HUB, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        process.stdin.write(b"go analyze\nquit\n")
        process.stdin.flush()
        assert process.wait(timeout=60) == 0
        assert process.stdout.read().splitlines()[-1].startswith(b"done move=")


@pytest.mark.slow
def test_a_reader_that_leaves_is_not_an_error():
    process = subprocess.Popen(KR_HUB, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    process.stdin.write(b"hub\nlevel depth=3\ngo think\n")
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize("options", [["--hash", "lots"], ["--hash", "0MB"], ["--threads", "0"]])
def test_bad_option_is_one_line(options):
    result = subprocess.run(
        [*KR_HUB, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1


STORM = ("go think", "go ponder", "go analyze", "stop", "ponder-hit", "ping", "new-game", "init", "level nodes=300",
         "level time=0.02", "level infinite", 'pos moves="11-15"', "set-param name=threads value=2",
         "set-param name=threads value=1")  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_each_go_and_ping_of_a_storm_is_answered_once(seed):
    chance = random.Random(seed)
    storm = [chance.choice(STORM) for _ in range(60)]
    asked = [command.split()[0] for command in storm]
    lines = iter([f"{command}\n" for command in storm])

    class Source:
        def readline(self):
            time.sleep(chance.choice([0, 0, 0, 0.0003, 0.002]))
            return next(lines, "")

    sink = io.StringIO()
    HubServer(Source(), sink, {"weights": "material", "hash": "1", "egdb": "none"}).serve()
    answers = [line.split()[0] for line in sink.getvalue().splitlines()]
    assert set(answers) <= {"info", "done", "pong", "ready"}
    assert [answers.count(name) for name in ("done", "pong", "ready")] == [
        asked.count(name) for name in ("go", "ping", "init")
    ]


def test_all_nodes_of_a_search_are_told_though_it_ends_within_an_iteration(talk):
    searched = Engine("material", hash_mb=1, database=None)
    told = []
    found = searched.search(Position(), Limits(nodes=3000), on_info=lambda info: told.append(info.nodes))
    assert told[-1] < found.nodes
    conversation = talk()
    for line in ("hub", "set-param name=egdb value=none", "init", "level nodes=3000", "go think"):
        conversation.send(line)
    lines = []
    while not lines or not lines[-1].startswith("done "):
        lines.append(conversation.heard.get(timeout=60))
    nodes = [int(match[1]) for line in lines if (match := re.match(r"info .* nodes=(\d+) ", line))]
    assert nodes == [*told, found.nodes]


def test_the_session_of_the_page_is_what_kr_says() -> None:
    page = Path(__file__).parents[1] / "docs" / "reference" / "hub.md"
    if not page.exists():
        pytest.skip("the checkout is not here")
    session = page.read_text(encoding="utf-8").partition("## A session")[2].split("```")[1].strip().splitlines()
    measured = re.compile(r"(?:time|nps)=\S+|\.dev\d+")
    conversation = Conversation(hash="64")
    for line in session:
        if line.startswith("> "):
            conversation.send(line[2:])
            continue
        shown, heard = measured.sub("", line[2:]), ""
        while heard != shown:
            # others may come between, but for those that end an answer
            assert heard.split()[:1] in ([], ["id"], ["param"], ["info"]), f"{heard}; expected {shown}"
            heard = measured.sub("", conversation.heard.get(timeout=60).rstrip("\n"))
    conversation.thread.join(60)
    assert not conversation.thread.is_alive()
