"""`kr prove`: proves the value of a position, or as much of it as the time allows.

A value is made of claims: that a side wins, and that a side does not lose. Each has a tree of its own; the claim that
looks nearest to its proof, for what it has cost so far, gets the next search. Half of the nodes go to searches of the
root, each twice as deep as all before, for the engine alone finds most wins; the others go to the leaves of the tree.

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
from itertools import islice
from pathlib import Path
from typing import Any

from kr.cluster.address import cluster_option
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
from kr.proofs.certificate import Claim, certificate_of, read_certificate, write_certificate
from kr.proofs.closure import closed_part
from kr.proofs.leaves import LeafAnswer, LeafSearches, answer_from_json, settled, strategy_rows
from kr.proofs.proof import GOALS, ClaimProgress, Proof, as_value, claims_for
from kr.proofs.tree import ProofNode, ProofTree
from kr.settings import Settings, check_settings, option, workers_option
from kr.storage import beside, check_output
from kr.threads import start_all

LEAF_NODES = (4_000, 50_000)
"""Nodes of the searches of a leaf, the first one first."""
FIRST_ROOT_NODES = 100_000
"""Nodes of the first search of the root."""
FIRST_REPLY = 20
"""Factor of the nodes for the replies at the root."""
NEARNESS_EXPONENT = 0.5
"""Exponent of the proof number in the choice of a claim: what is further from its proof gets fewer nodes."""
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


@dataclass
class _Task:
    """A search that is under way."""

    number: int
    """Of the claim."""
    line: list[ProofNode]
    nodes: int
    of_root: bool


@dataclass
class ProofQuestion:
    """A claim with its tree."""

    tree: ProofTree
    progress: ClaimProgress
    root_nodes: int = 0
    """Nodes spent on searches of the root."""
    next_root_nodes: int = FIRST_ROOT_NODES
    root_busy: bool = False

    def next_task(self, number: int) -> _Task | None:
        """The search that brings it forward; None if there is none before others have ended."""
        if not self.root_busy and 2 * self.root_nodes <= self.progress.nodes and self.tree.root.choosing:
            self.root_busy = True
            return _Task(number, [self.tree.root], self.next_root_nodes, True)
        line = self.tree.next_leaf()
        if line is None:
            return None
        nodes = LEAF_NODES[min(line[-1].level, len(LEAF_NODES) - 1)]
        # the root's replies take the place of the root where the opponent is to move
        near = len(line) == 2 and not self.tree.root.choosing
        return _Task(number, line, FIRST_REPLY * nodes if near else nodes, False)

    def enter(self, task: _Task, answer: LeafAnswer) -> None:
        """Take the answer to a task."""
        self.progress.nodes += answer.nodes
        self.progress.leaves += 1
        self.tree.learn(answer.strategy)
        if answer.cut:
            return
        if task.of_root:
            self.root_busy = False
            self.root_nodes += answer.nodes
            self.next_root_nodes = max(self.next_root_nodes, 2 * self.root_nodes)
            if self.tree.root.level or self.tree.root.busy:
                return
        self.tree.enter(task.line, answer)

    def note(self) -> None:
        """Bring the progress up to date."""
        progress, tree = self.progress, self.tree
        progress.holds, progress.proof, progress.disproof = tree.holds, tree.root.proof, tree.root.disproof
        progress.tree, progress.positions = len(tree.nodes), len(tree.strategy)
        progress.resists = tuple(tree.resisting_line())


class _Run:
    """One run of a proof."""

    def __init__(
        self, claims: Sequence[Claim], settings: ProveSettings, work: EngineWork[dict[str, Any]],
        journal: Journal[Any] | None, on_progress: Callable[[Proof], None] | None, stop: Stop | None = None,
    ) -> None:  # fmt: skip
        self.stop = stop or Stop()
        self.settings, self.work, self.journal, self.on_progress = settings, work, journal, on_progress
        trees = [ProofTree(claim, work.engine.database) for claim in claims]
        self.questions = [ProofQuestion(tree, ClaimProgress(tree.claim)) for tree in trees]
        self.proof = Proof(claims[0].root, settings.goal, [each.progress for each in self.questions])
        self.answers: dict[Key, LeafAnswer] = {}
        self.tasks: dict[str, _Task] = {}
        self.began = time.monotonic()
        self.over = False
        # what is proved rests on what was proved before it, whether that search is asked for again or not
        for key, answer in journal.entries if journal is not None else ():
            answer = self._closed(key[0], answer)
            self.questions[key[0]].tree.learn(answer.strategy)
            if not answer.cut:
                self.answers[key] = answer
        for each in self.questions:
            each.note()

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
            for each in self.questions:
                each.note()
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
        tree = self.questions[number].tree
        return replace(answer, strategy=closed_part(tree.claim, answer.strategy, tree.strategy, tree.database))

    def _units(self, stop: Callable[[], None]) -> Iterator[Unit | None]:
        """The searches, as workers ask for them; stop: ends those under way."""
        while not self.over:
            # as many as there are workers: each is chosen by what the others have found
            busy = len(self.tasks) >= self.work.workers and not self.settings.cluster
            if busy or (self.tasks and self._nodes_left() <= 0):
                yield None
                continue
            task = self._next_task()
            if task is None:
                if self.proof.answered:
                    stop()
                if not self.tasks or self.proof.answered:
                    return
                yield None
                continue
            task.nodes = min(task.nodes, self._nodes_left())
            position = task.line[-1].position
            answer = self.answers.pop((task.number, position.bits, task.nodes), None)
            if answer is not None:
                self.proof.resumed += 1
                self._enter(task, answer)
                continue
            tree = self.questions[task.number].tree
            key = f"{task.number} {position.bits} {task.nodes}"
            self.tasks[key] = task
            values = {
                "position": position.bits, "side": int(tree.claim.side), "goal": str(tree.claim.goal),
                "nodes": task.nodes,
            }  # fmt: skip
            if self.settings.cluster:
                latest = islice(reversed(tree.strategy.items()), MOST_KNOWN)
                values["known"] = strategy_rows(dict(latest))
            yield self.work.unit(key, values)

    def _nodes_left(self) -> int:
        """Nodes that new searches may take, but for those of strategies."""
        if self.settings.tc.nodes is None:
            return int(MOST_LIMITS["nodes"])
        return self.settings.tc.nodes - self._spent() - sum(each.nodes for each in self.tasks.values())

    def _spent(self) -> int:
        return sum(each.nodes for each in self.proof.claims)

    def _next_task(self) -> _Task | None:
        """The next search: for the claim that is nearest to its proof, for what it has cost. None for none now."""
        numbers = self._by_cost()
        while numbers:
            number = numbers.pop(0)
            question = self.questions[number]
            task = question.next_task(number)
            if task is not None:
                return task
            if question.tree.holds is not None:
                # on the way to a leaf: the others may tell nothing new any more
                question.note()
                numbers = self._by_cost()
        return None

    def _by_cost(self) -> list[int]:
        return sorted(self._open(), key=self._cost)

    def _open(self) -> list[int]:
        """Numbers of the claims that are open and would tell something new."""
        least, most, side = self.proof.least, self.proof.most, self.proof.position.side
        numbers = []
        for number, each in enumerate(self.questions):
            claim = each.tree.claim
            bound = as_value(claim, self.proof.position)
            tells = bound.sign > least.sign if claim.side == side else bound.sign < most.sign
            possible = bound.sign <= most.sign if claim.side == side else bound.sign >= least.sign
            if each.tree.holds is None and tells and possible:
                numbers.append(number)
        return numbers

    def _cost(self, number: int) -> float:
        progress = self.questions[number].progress
        return float((progress.nodes + FIRST_ROOT_NODES) * max(progress.proof, 0.1) ** NEARNESS_EXPONENT)

    def _enter(self, task: _Task, answer: LeafAnswer) -> None:
        question = self.questions[task.number]
        question.enter(task, answer)
        question.note()
        limit = self.settings.tc.nodes
        self.over = self.proof.answered or (limit is not None and self._spent() >= limit)
        self._tell()

    def _tell(self) -> None:
        self.proof.seconds = time.monotonic() - self.began
        if self.on_progress is not None:
            self.on_progress(self.proof)

    def certify(self) -> None:
        """Make certificates of what was proved, and write them."""
        telling = self.proof.telling
        for progress, tree in ((each.progress, each.tree) for each in self.questions if each.progress in telling):
            self._begin_strategy(tree)
            progress.certificate = certificate_of(tree.claim, tree.strategy, tree.database)
            if self.settings.out is not None:
                progress.path = _path_of(self.settings, self.settings.out, tree.claim)
                write_certificate(progress.path, progress.certificate)

    def _begin_strategy(self, tree: ProofTree) -> None:
        """Give a root of which the database has the value its move."""
        root = tree.claim.root
        if root.side != tree.claim.side or root.bits[:3] in tree.strategy or root.is_over:
            return
        for move in root.legal_moves():
            if settled(tree.claim, root.play(move), tree.database):
                tree.strategy[root.bits[:3]] = (move.origin, move.target, move.captured)
                return


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
