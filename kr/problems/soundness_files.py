"""`kr problem check`: problems of a file, one after another, checked side by side as units of `kr.jobs`.

Problems are read as workers ask for them, and records leave in the order of the problems, so that an archive of any
size is checked in little memory. With an output file every record is a line of its journal, from which the same
command resumes.
"""

from __future__ import annotations

import json
import operator
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from kr.archives.archive import ReadSettings
from kr.cluster.address import cluster_option
from kr.cluster.pools import work_pool
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.settings import egdb_memory_option, egdb_option, engine_from, hash_option, weights_option
from kr.errors import InvalidSettingError, KrError
from kr.game.position import Position
from kr.game.value import Result, Value
from kr.jobs.journal import Journal, open_journal
from kr.jobs.kinds import Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.pdn import Game, GameNode, Results
from kr.players.workers import EngineKind, engine_needs
from kr.problems.problem import Problem, each_problem, other_meaning
from kr.problems.soundness import ProblemVerdict, check_problem
from kr.proofs.certificate import CERTIFICATE_SUFFIX, packed_certificate
from kr.settings import REQUIRED, Settings, option, same_option, workers_option
from kr.storage import checksum, is_file, provenance, read_regular, safe_name, write_atomic
from kr.threads import worker_count
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
    engine = engine_from(settings, settings.weights)
    counts = dict.fromkeys(ProblemVerdict, 0)
    waiting: dict[int, ProblemRecord] = {}
    following = 0

    def enter(record: ProblemRecord, resumed: bool) -> None:
        nonlocal following
        waiting[record["number"]] = record | {"resumed": resumed}
        while (ready := waiting.pop(following, None)) is not None:
            following += 1
            counts[ProblemVerdict(ready["verdict"])] += 1
            earlier = ready.pop("resumed")
            on_record(ready, earlier)

    with _journal(settings, engine) as journal:
        # as text, which takes a fraction of the memory
        known = dict(journal.entries) if journal is not None else {}
        needs, places = engine_needs(engine, settings.weights)
        tools = {"hash": settings.hash, "threads": 1, "egdb_memory": settings.egdb_memory}
        certify = settings.proofs is not None
        shared = {
            "limits": str(settings.tc), "memory": settings.memory, "strict": settings.strict, "all": settings.all,
            "certify": certify,
        }  # fmt: skip

        doubt = other_meaning(settings.source, settings.results)

        def units() -> Iterator[Unit]:
            problems = each_problem(settings.source, on_error, cast(Results, settings.results))
            for number, problem in enumerate(problems):
                text = known.pop(number, None)
                if text is not None and (record := json.loads(text))["fen"] == problem.position.fen:
                    enter(record, True)
                    continue
                values = {"problem": problem.as_object(), "number": number, **shared}
                yield Unit(ProblemChecks.name(), str(number), needs, tools, values)

        workers = worker_count(settings.workers)
        pool = work_pool(ProblemChecks(), Needs(places), workers, [engine], settings.cluster)
        with closing(pool.run(units())) as parts:
            for part in parts:
                record = _with_file(_with_doubt(part.value, doubt), settings.proofs)
                if journal is not None:
                    journal.append(record)
                enter(record, False)
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


class ProblemChecks(EngineKind[ProblemRecord]):
    """Units of one problem; the result is its record."""

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Engine, ProblemRecord]:
        yield [Portion(partial(self._check, unit))]

    def _check(self, unit: Unit, engine: Engine, stop: Stop) -> ProblemRecord | None:
        values = unit.values
        problem = Problem.from_object(values["problem"])
        limits = Limits.parse(values["limits"])
        found = check_problem(
            problem, engine, limits, values["strict"], values["all"], values["certify"], stop, values["memory"]
        )
        if stop.is_set():
            return None
        about = {
            "number": values["number"], "id": problem.id, "title": problem.title, "fen": problem.position.fen,
            "published": problem.published,
        }  # fmt: skip
        claim, certificate = found.refutation, found.certificate
        proofs = {
            "seconds": round(found.seconds, 3),
            "refutation": None if claim is None else {"fen": claim.root.fen, "claim": str(claim)},
            # as text, to travel; a file in the end
            "certificate": None if certificate is None else b64encode(packed_certificate(certificate)).decode(),
        }
        return about | asdict(replace(found, refutation=None, certificate=None)) | proofs


def _journal(settings: CheckSettings, engine: Engine) -> AbstractContextManager[Journal[tuple[int, str]] | None]:
    if settings.out is None:
        return nullcontext()
    content = read_regular(settings.source) if is_file(settings.source) else settings.source.encode()
    fixed = {
        "problems": checksum(content),
        "weights": engine.signature,
        "egdb": None if engine.database is None else engine.database.signature,
        "limits": str(settings.tc),
        "memory": settings.memory,
        "strict": settings.strict,
        **({"results": settings.results} if settings.results != "english" else {}),
        "all": settings.all,
        "proofs": None if settings.proofs is None else str(settings.proofs),
    }
    return open_journal(settings.out, fixed, provenance(), _known)


def _known(values: ProblemRecord) -> tuple[int, str]:
    """Number and text of a record. Raises ValueError, LookupError or TypeError for an invalid one."""
    number = operator.index(values["number"])
    ProblemVerdict(values["verdict"])
    if number < 0 or not isinstance(values["fen"], str) or not isinstance(values["reason"], str):
        raise ValueError("record")
    return number, json.dumps(values)


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
