"""`kr problem check`: problems of a file, one after another, checked side by side as units of `kr.jobs`.

Problems are read as workers ask for them, and records leave in the order of the problems, so that an archive of any
size is checked in little memory. With an output file every record is a line of its journal, from which the same
command resumes.
"""

from __future__ import annotations

import operator
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from kr.archives.archive import ReadSettings
from kr.cluster.address import cluster_option
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidSettingError, KrError
from kr.game.position import Position
from kr.game.value import Result, Value
from kr.jobs.kinds import Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.pdn import Game, GameNode, Results
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits
from kr.problems.problem import Problem, each_problem, other_meaning
from kr.problems.soundness import ProblemVerdict, check_problem
from kr.proofs.certificate import CERTIFICATE_SUFFIX, packed_certificate
from kr.settings import REQUIRED, Settings, option, same_option, workers_option
from kr.storage import checksum, is_file, read_regular, write_atomic
from kr.text import safe_name
from kr.units import format_size, parse_size

ProblemRecord = dict[str, Any]
"""A verdict as JSON types: number (from 0), id, title, fen and published value of the problem, then the fields of
`kr.problems.soundness.Soundness`."""
OnRecord = Callable[[ProblemRecord, bool], None]
"""Called with each record, in the order of the problems; true if it is of an earlier run."""


@dataclass(frozen=True)
class CheckSettings(Settings):
    """Problems to check, and the limits of each."""

    source: str = option(
        REQUIRED, "Problems: PDN, JSON lines, or one FEN in each line; or a built-in name, or a FEN.",
        metavar="FILE|NAME|FEN", argument=True,
    )  # fmt: skip
    tc: Limits = option(
        Limits(time=10.0), "Limit of all searches for a problem: 10s, or nodes=5e6, which is repeatable.",
        parse=Limits.parse,
    )  # fmt: skip
    memory: int = option(
        1 << 30, "Most memory for the proofs of a problem, beside hash table and database; 0MB for any size.",
        parse=parse_size, show=format_size,
    )  # fmt: skip
    results: str = same_option(ReadSettings, "results")
    strict: bool = option(False, "Count also second ways that transpose, and those after the result is plain.")
    all: bool = option(False, "List every solution: all keys, and after each reply the only moves.")
    proofs: Path | None = option(None, "Write the certificate of each refutation to this directory.", metavar="DIR")
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    workers: int = workers_option("Problems checked side by side")
    cluster: str = cluster_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    out: Path | None = option(
        None, "Write the verdicts here, one JSON object per line; run the same command to resume.", metavar="FILE"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_total("--tc", self.tc)


def check_total(name: str, limits: Limits) -> None:
    """Refuse limits that are not a time or nodes of several searches. Raises InvalidSettingError."""
    if (limits.time is None and limits.nodes is None) or limits.depth is not None or limits.left is not None:
        raise InvalidSettingError(f"{name} {limits}: expected a time or nodes of all searches, such as 10s")


def check_problems(
    settings: CheckSettings, on_record: OnRecord, on_error: Callable[[KrError], None]
) -> dict[ProblemVerdict, int]:
    """Check the problems of a source; returns the number of each verdict.

    on_error: called for each problem that can't be read. Raises InvalidSettingError, InvalidWeightsError,
    InvalidDatabaseError, what `each_problem` raises, and what `open_journal` raises.
    """
    work = EngineWork(ProblemChecks(), settings)
    counts = dict.fromkeys(ProblemVerdict, 0)
    doubt = other_meaning(settings.source, settings.results)
    shared = {
        "limits": str(settings.tc), "memory": settings.memory, "strict": settings.strict, "all": settings.all,
        "certify": settings.proofs is not None,
    }  # fmt: skip
    tasks = (
        WorkTask((number, problem.position.fen), {"problem": problem.as_object(), "number": number, **shared})
        for number, problem in enumerate(each_problem(settings.source, on_error, cast(Results, settings.results)))
    )

    def enter(record: ProblemRecord, earlier: bool) -> None:
        counts[ProblemVerdict(record["verdict"])] += 1
        on_record(record, earlier)

    def record_of(task: WorkTask[ProblemKey], record: ProblemRecord) -> ProblemRecord:
        return _with_file(_with_doubt(record, doubt), settings.proofs)

    with work.records(settings.out, lambda: _shaping(settings), _key_of) as records:
        work.run(tasks, records, enter, record_of, in_order=True)
    return counts


def _with_doubt(record: ProblemRecord, doubt: str) -> ProblemRecord:
    """A record whose reason names the other meaning of the published win or loss, where that meaning is not refuted."""
    refutation, decisive = record["refutation"], record["published"] in (Value.WIN, Value.LOSS)
    if not (doubt and decisive and refutation and refutation["fen"] == record["fen"] and record["value"] != Value.DRAW):
        return record
    return record | {"reason": f"{record['reason']}; or {doubt}"}


def _with_file(record: ProblemRecord, directory: Path | None) -> ProblemRecord:
    """A record whose certificate, if it has one, is written to a file of the directory, and named by it."""
    content = record["certificate"]
    if content is None or directory is None:
        return record
    path = directory / f"{record['number']:06}-{safe_name(record['id'], 'problem')}{CERTIFICATE_SUFFIX}"
    write_atomic(path, b64decode(content))
    return record | {"certificate": str(path)}


class ProblemChecks(EngineUnits[ProblemRecord]):
    """Units of one problem; the result is its record."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> ProblemRecord:
        values = unit.values
        problem = Problem.from_object(values["problem"])
        limits = Limits.parse(values["limits"])
        soundness = check_problem(
            problem, engine, limits, values["strict"], values["all"], values["certify"], stop, values["memory"]
        )
        about = {
            "number": values["number"], "id": problem.id, "title": problem.title, "fen": problem.position.fen,
            "published": problem.published,
        }  # fmt: skip
        claim, certificate = soundness.refutation, soundness.certificate
        proofs = {
            "seconds": round(soundness.seconds, 3),
            "refutation": None if claim is None else {"fen": claim.root.fen, "claim": str(claim)},
            # as text, to travel; a file in the end
            "certificate": None if certificate is None else b64encode(packed_certificate(certificate)).decode(),
            "limit": soundness.limit and soundness.limit.name.rpartition(".")[2],
        }
        return about | asdict(replace(soundness, refutation=None, certificate=None, limit=None)) | proofs


def _shaping(settings: CheckSettings) -> dict[str, Any]:
    """The settings that shape the verdicts."""
    content = read_regular(settings.source) if is_file(settings.source) else settings.source.encode()
    return {
        "problems": checksum(content),
        "limits": str(settings.tc),
        "memory": settings.memory,
        "strict": settings.strict,
        **({"results": settings.results} if settings.results != "english" else {}),
        "all": settings.all,
        "proofs": None if settings.proofs is None else str(settings.proofs),
    }


ProblemKey = tuple[int, str]
"""Number and FEN of a problem."""


def _key_of(record: ProblemRecord) -> ProblemKey:
    """Raises ValueError, LookupError or TypeError for an invalid record."""
    number = operator.index(record["number"])
    ProblemVerdict(record["verdict"])
    if number < 0 or not isinstance(record["fen"], str) or not isinstance(record["reason"], str):
        raise ValueError("record")
    return number, record["fen"]


# records in words


def verdict_words(record: ProblemRecord) -> str:
    """The verdict, with the move where it falls: "dual at move 2"."""
    if record["verdict"] == ProblemVerdict.DUAL:
        return f"dual at move {record['move_number']}"
    return str(record["verdict"])


def refutation_words(record: ProblemRecord) -> str:
    """The claim that refutes a result or a solution, its position, and the file of its certificate; "" without one."""
    refutation = record["refutation"]
    if refutation is None:
        return ""
    file = f", {record['certificate']}" if record["certificate"] else ""
    return f"{refutation['claim']}, {refutation['fen']}{file}"


def whole_line(record: ProblemRecord) -> list[str]:
    """Moves of the line that was looked at, or of the solution, of which it may be the beginning."""
    return max(record["line"], record["solution"], key=len)


# records as games


def game_of(record: ProblemRecord) -> Game:
    """A verdict as a game: the line that was looked at, with stars at the only moves, other ways as variations."""
    position = Position.from_fen(record["fen"])
    value = record["value"] or record["published"]
    result = Result.UNFINISHED if value is None else Result.of(Value(value).winner(position.side))
    headers = {"Event": record["title"] or record["id"], "Result": str(result), "Verdict": record["verdict"]}
    game = Game(headers, position, result=str(result))
    game.comment = f"{record['verdict']}: {record['reason']}"
    for note in record["notes"]:
        game.comments.append(note)
    node: GameNode = game
    nodes = [node]
    for move in whole_line(record):
        node = node.add_variation(move)
        nodes.append(node)
    for step in record["steps"]:
        _mark(nodes[step["ply"]], step)
    if not record["steps"]:
        for way in record["keys"]:
            child = game.variation(way["move"]) if game.has_variation(way["move"]) else game.add_variation(way["move"])
            child.comment = _proof(way)
    _plant(game, record["tree"])
    return game


def _mark(parent: GameNode, step: ProblemRecord) -> None:
    """Enter what is known of the moves at a step."""
    keeping = [way for way in step["others"] if way["keeps"]]
    child = parent.next()
    if child is not None and step["played"]["keeps"] is False:
        child.comment = f"does not keep the value, by {step['played']['by']}"
    if child is not None and step["played"]["keeps"] and all(way["keeps"] is False for way in step["others"]):
        child.nags.append("*")
    for way in keeping:
        parent.add_variation(way["move"], comment=_proof(way))


def _proof(way: ProblemRecord) -> str:
    return f"keeps the value, by {way['by']}{', transposes' if way.get('transposes') else ''}"


def _plant(game: GameNode, tree: list[ProblemRecord]) -> None:
    """Enter the tree of solutions."""
    waiting: list[tuple[GameNode, ProblemRecord]] = [(game, branch) for branch in reversed(tree)]
    while waiting:
        parent, branch = waiting.pop()
        node = _child(parent, branch["move"]) if "move" in branch else parent
        for reply in branch.get("replies", ()):
            after = _child(node, reply["reply"])
            if reply.get("end") in ("ways", "limit", "open", "seen") and not after.comment:
                after.comment = _ENDS[reply["end"]]
            waiting += [(after, way) for way in reversed(reply.get("ways", ()))]


_ENDS = {
    "ways": "more than one way", "limit": "left here", "open": "some moves are open", "seen": "as in another line",
}  # fmt: skip


def _child(node: GameNode, move: str) -> GameNode:
    return node.variation(move) if node.has_variation(move) else node.add_variation(move)
