"""`kr prove`: proves the value of a position, or as much of it as the time allows.

A value is made of claims: that a side wins, and that a side does not lose. Each has a tree in the core, which
chooses the searches.

Searches are units of `kr.jobs`. Their answers are written to a journal beside the output, so that the same command
resumes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from kr import _core
from kr.cluster.address import cluster_option
from kr.egdb.database import Database
from kr.engine.engine import Engine
from kr.engine.limits import MOST_LIMITS, Limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidCertificateError, InvalidFenError, InvalidSettingError
from kr.game.position import Position
from kr.game.value import Value
from kr.jobs.journal import Journal
from kr.jobs.kinds import Stop
from kr.jobs.pool import FinishedPortion
from kr.jobs.unit import Unit
from kr.players.engine_work import EngineWork
from kr.proofs.certificate import Certificate, Claim, certificate_of, read_certificate, write_certificate
from kr.proofs.checking import check_certificate
from kr.proofs.closure import closed_part
from kr.proofs.leaves import LeafAnswer, LeafSearches, answer_from_json, strategy_rows
from kr.proofs.proof import GOALS, ClaimProgress, Proof, claims_for
from kr.settings import Settings, check_settings, option, workers_option
from kr.storage import beside, check_output
from kr.threads import start_all

JOURNAL_SUFFIX = ".part"
REMEDY_OF_SEARCHES = "remove the line (its search is made again), or the file"
CUT_LIMIT = 0
"""Nodes of a search in a journal that a stop cut short: no search has this limit, so none takes its score."""
STOP_CHECK = 0.02
"""Seconds between two looks at the clock and at the stop."""
MOST_KNOWN = 2_000
"""Proved moves, the latest, that go with a search to another machine, so that it need not prove them again."""
Key = tuple[int, tuple[int, ...], int]
"""Search of a leaf: number of the claim, the leaf, and its nodes."""


@dataclass(frozen=True)
class ProveSettings(Settings):
    """A position, what is to be proved about it, and the limits."""

    fen: str = option(
        "", "The position to prove: a FEN, or the name of a built-in problem.", metavar="FEN|NAME", argument=True
    )
    goal: str = option(
        "value", "For the side to move: win, draw or loss, yes or no; or value, whichever it is.",
        choices=GOALS,
    )  # fmt: skip
    tc: Limits = option(Limits(time=60.0), "Limit of all searches together: 60s or nodes=1e9.", parse=Limits.parse)
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    workers: int = workers_option()
    cluster: str = cluster_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    out: Path | None = option(None, "Write the certificate here; run the same command to resume.", metavar="FILE")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.tc.time is None and self.tc.nodes is None) or self.tc.depth is not None or self.tc.left is not None:
            raise InvalidSettingError(f"--tc {self.tc}: expected a time or nodes of all searches, such as 60s")


def prove(
    settings: ProveSettings,
    on_progress: Callable[[Proof], None] | None = None,
    engine: Engine | None = None,
    stop: Stop | None = None,
) -> Proof:
    """Prove what the goal asks for, within the limits, and write the certificates of what was proved.

    on_progress: called after each search; engine: that of the first worker, in place of one by the settings; stop: ends
    the searches once set. Raises InvalidFenError, InvalidSettingError, InvalidWeightsError,
    InvalidDatabaseError, OutputBusyError, and what `open_journal` raises.
    """
    check_settings(settings, ProveSettings)
    position = Position.from_fen(settings.fen)
    if not position.black | position.white:
        raise InvalidFenError(f"FEN {settings.fen!r}: the board is empty, so that there is nothing to prove")
    work = EngineWork(LeafSearches(), settings, engine=engine)
    claims = claims_for(position, settings.goal)
    with _journal(claims, settings, work) as journal:
        run = _Run(claims, settings, work, journal, on_progress, stop)
        run.go()
        run.certify()
        if journal is not None and run.proof.answered:
            journal.remove()
    return run.proof


class _Run:
    """One run of a proof."""

    def __init__(
        self, claims: Sequence[Claim], settings: ProveSettings, work: EngineWork[dict[str, Any]],
        journal: Journal[Any] | None, on_progress: Callable[[Proof], None] | None, stop: Stop | None = None,
    ) -> None:  # fmt: skip
        self.stop = stop or Stop()
        self.settings, self.work, self.journal, self.on_progress = settings, work, journal, on_progress
        self.database = work.engine.database
        core = None if self.database is None else self.database.core
        root = claims[0].root
        self.prover = _core.ClaimProver(root.bits, GOALS.index(settings.goal), core)
        self.questions = self.prover.questions
        self.proof = Proof(root, settings.goal, [ClaimProgress(claim) for claim in claims])
        self.answers: dict[Key, LeafAnswer] = {}
        self.tasks: dict[str, _core.ProofTaskOf] = {}
        self.began = time.monotonic()
        self.over = False
        # what is proved rests on what was proved before it, whether that search is asked for again or not
        for key, answer in journal.entries if journal is not None else ():
            answer = self._closed(key[0], answer)
            self.questions[key[0]].learn(_core.ProvedMoves(answer.strategy.items()))
            if not answer.cut:
                self.answers[key] = answer
        self._note_all()

    def go(self) -> None:
        """Search until the question is answered or the limits are reached."""
        pool = self.work.pool()
        ended = threading.Event()
        start_all([threading.Thread(target=self._watch, args=(pool.stop, ended), daemon=True)], lambda: None)
        try:
            with closing(pool.run(self._units(pool.stop))) as parts:
                for part in parts:
                    self._take(part)
                    if self.over:
                        break
        except KeyboardInterrupt:
            # what was proved until then
            for part in pool.rest():
                self._take(part)
            raise
        finally:
            ended.set()
            self._note_all()
        self._tell()

    def _watch(self, end: Callable[[], None], ended: threading.Event) -> None:
        """End the searches at the limit of time, or once they are stopped. Body of a thread."""
        limit, began = self.settings.tc.time, time.monotonic()
        while not ended.wait(STOP_CHECK):
            if self.stop.is_set() or (limit is not None and time.monotonic() - began >= limit):
                end()
                return

    def _take(self, part: FinishedPortion[dict[str, Any]]) -> None:
        """Write an answer down, and enter it."""
        task = self.tasks.pop(part.unit.key)
        if part.value is None:
            return
        answer = answer_from_json(part.value)
        if self.journal is not None:
            limit = CUT_LIMIT if answer.cut else task.nodes
            self.journal.append({
                "claim": task.number, "position": part.unit.values["position"], "limit": limit, **part.value,
            })  # fmt: skip
        self._enter(task, self._closed(task.number, answer) if part.worker else answer)

    def _closed(self, number: int, answer: LeafAnswer) -> LeafAnswer:
        """An answer that was not made in this process, with the part of its strategy that proves something."""
        claim, strategy = self.proof.claims[number].claim, self.questions[number].strategy
        return replace(answer, strategy=closed_part(claim, answer.strategy, strategy, self.database))

    def _units(self, stop: Callable[[], None]) -> Iterator[Unit | None]:
        """The searches, as workers ask for them; stop: ends those under way."""
        while not self.over:
            # as many as there are workers: each is chosen by what the others have found
            busy = len(self.tasks) >= self.work.workers and not self.settings.cluster
            if busy or (self.tasks and self._nodes_left() <= 0):
                yield None
                continue
            task = self.prover.next_task()
            self._note_settled()
            if task is None:
                if self.proof.answered:
                    stop()
                if not self.tasks or self.proof.answered:
                    return
                yield None
                continue
            task.nodes = min(task.nodes, self._nodes_left())
            answer = self.answers.pop((task.number, task.position, task.nodes), None)
            if answer is not None:
                self.proof.resumed += 1
                self._enter(task, answer)
                continue
            claim = self.proof.claims[task.number].claim
            key = f"{task.number} {task.position} {task.nodes}"
            self.tasks[key] = task
            values = {
                "position": task.position, "side": int(claim.side), "goal": str(claim.goal), "nodes": task.nodes,
            }  # fmt: skip
            if self.settings.cluster:
                values["known"] = strategy_rows(dict(self.questions[task.number].strategy.items(MOST_KNOWN)))
            yield self.work.unit(key, values)

    def _nodes_left(self) -> int:
        """Nodes that new searches may take, but for those of strategies."""
        if self.settings.tc.nodes is None:
            return int(MOST_LIMITS["nodes"])
        return self.settings.tc.nodes - self._spent() - sum(each.nodes for each in self.tasks.values())

    def _spent(self) -> int:
        return sum(each.nodes for each in self.proof.claims)

    def _note_all(self) -> None:
        for number in range(len(self.questions)):
            self._note(number)

    def _note_settled(self) -> None:
        """Note the claims that were settled on the way to a leaf."""
        for number, (question, progress) in enumerate(zip(self.questions, self.proof.claims, strict=True)):
            if question.holds is not progress.holds:
                self._note(number)

    def _note(self, number: int) -> None:
        """Bring the progress of a claim up to date."""
        question, progress = self.questions[number], self.proof.claims[number]
        question.note()
        progress.holds, progress.nodes, progress.leaves = question.holds, question.nodes, question.searches
        progress.proof, progress.disproof = question.numbers
        progress.tree, progress.positions = question.size, len(question.strategy)
        position, moves = progress.claim.root, []
        for squares in question.resisting_line():
            moves.append(position.find_move(*squares))
            position = position.play(moves[-1])
        progress.resists = tuple(moves)

    def _enter(self, task: _core.ProofTaskOf, answer: LeafAnswer) -> None:
        strategy = _core.ProvedMoves(answer.strategy.items())
        self.questions[task.number].enter(task, answer.score, answer.move, answer.nodes, strategy, answer.cut)
        self._note(task.number)
        limit = self.settings.tc.nodes
        self.over = self.proof.answered or (limit is not None and self._spent() >= limit)
        self._tell()

    def _tell(self) -> None:
        self.proof.seconds = time.monotonic() - self.began
        if self.on_progress is not None:
            self.on_progress(self.proof)

    def certify(self) -> None:
        """Make certificates of what was proved, and write them."""
        for progress, question in zip(self.proof.claims, self.questions, strict=True):
            if not any(each is progress for each in self.proof.telling):
                continue
            question.begin_strategy()
            progress.certificate = certificate_of(progress.claim, question.strategy, self.database)
            if self.settings.out is not None:
                progress.certificate = _checked(progress.certificate, self.database)
                progress.path = _path_of(self.settings, self.settings.out, progress.claim)
                write_certificate(progress.path, progress.certificate)


def _checked(certificate: Certificate, database: Database | None) -> Certificate:
    """A certificate that says which classes it needs, and how long its check took here. Raises what the check does."""
    began = time.process_time()
    report = check_certificate(certificate, database)
    seconds = time.process_time() - began
    facts = {"needs": ", ".join(report.classes), "check_seconds": f"{seconds:.1f}"}
    return replace(certificate, provenance={**certificate.provenance, **facts})


def _path_of(settings: ProveSettings, out: Path, claim: Claim) -> Path:
    """File of a certificate. The side is part of the name where a draw may need two of them."""
    if claim.goal is Value.WIN or settings.goal in ("win", "loss"):
        return out
    return out.with_name(f"{out.stem}-{claim.side.name.lower()}{out.suffix}")


def _journal(
    claims: Sequence[Claim], settings: ProveSettings, work: EngineWork[dict[str, Any]]
) -> AbstractContextManager[Journal[tuple[Key, LeafAnswer]] | None]:
    """Journal of the searches, if the proof is to be written."""
    if settings.out is None:
        return nullcontext()
    journal = beside(settings.out, JOURNAL_SUFFIX)
    _check_certificates(claims, settings, settings.out)
    shaping = {"position": claims[0].root.fen, "goal": settings.goal}
    return work.journal(journal, shaping, partial(_search_of, len(claims)), REMEDY_OF_SEARCHES)


def _check_certificates(claims: Sequence[Claim], settings: ProveSettings, out: Path) -> None:
    """Refuse to write over files that are not certificates of this proof."""
    by_path: dict[Path, list[Claim]] = {}
    for claim in claims:
        by_path.setdefault(_path_of(settings, out, claim), []).append(claim)
    for path in filter(Path.exists, by_path):
        check_output(path)
        expected = " or ".join(f"that {claim}" for claim in by_path[path])
        try:
            kept = read_certificate(path).claim in by_path[path]
        except InvalidCertificateError:
            kept = False
        if not kept:
            raise InvalidSettingError(
                f"--out: {path} is there and is not a certificate {expected} in {claims[0].root.fen}; "
                "choose another file"
            )


def _search_of(claims: int, values: dict[str, Any]) -> tuple[Key, LeafAnswer]:
    """Line of a journal. Raises ValueError, LookupError or TypeError for an invalid one."""
    claim, position, limit = values["claim"], tuple(values["position"]), values["limit"]
    answer = answer_from_json(values)
    if not all(type(each) is int for each in (claim, limit, *position)) or claim not in range(claims):
        raise ValueError("not a search of these claims")
    if answer.nodes < 0:
        raise ValueError(f"{answer.nodes} nodes")
    return (claim, position, limit), answer
