"""Units of long work, which another process does as this one, from their text and what they need alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import cache
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from portions import results
from tables import save_random

from kr.analysis.annotation.files import AnnotateSettings, annotate_files
from kr.archives.archive import ReadSettings
from kr.ballots.grading import GradeSettings, grade_ballots
from kr.book.book import OpeningBook
from kr.book.frame import book_key
from kr.egdb.build import BuildSettings, build_database
from kr.egdb.database import load_database
from kr.egdb.slices import shape_named
from kr.egdb.solving import SlicePairs, crc_chunk, files_of, values_key, values_of, values_path
from kr.egdb.values import write_values
from kr.egdb.verify import VerifySettings, verify_database
from kr.engine.bench import SearchSignature
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError, KrError, MissingNeedError
from kr.game.position import Position
from kr.jobs import kinds, pool
from kr.jobs.kinds import Kind, Stop, kind_named, perform
from kr.jobs.needs import Needs
from kr.jobs.pool import FinishedPortion, Pool
from kr.jobs.unit import Chunk, Unit
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.learn.shards import Shards
from kr.match.match import play_match
from kr.match.pairs import Pairs
from kr.match.settings import MatchSettings
from kr.players.engine_work import EngineWork
from kr.players.workers import EngineKind
from kr.policy.policy import load_policy, shipped_policy
from kr.problems.finding_files import FindSettings, find_puzzles
from kr.problems.problem import classics
from kr.problems.solving import Answers, SolveSettings, solve_all
from kr.problems.soundness_files import CheckSettings, check_problems
from kr.problems.stars import StarSettings, check_stars
from kr.problems.variations import VarySettings, vary
from kr.proofs.prover import ProveSettings, prove
from kr.storage import data_path
from kr.studies.evolution.duels import EvolutionDuels
from kr.studies.evolution.run import evolve
from kr.studies.evolution.settings import EvolveSettings
from kr.studies.people.decisions import read_decisions
from kr.studies.people.rivals import SearchMoves
from kr.studies.people.strengths import PlayersSettings, measure_losses
from kr.theory.building import BookSettings, build_book
from kr.theory.cook_search import CookSearches


def kinds_of_work() -> dict[str, type[Kind[Any, Any]]]:
    """All kinds that kr has, by the names of their classes: those whose files say that they derive from one."""
    heads = re.compile(r"^class (\w+)\((.+)\):", re.MULTILINE)
    folder = Path(kinds.__file__).parents[1]
    files = {path: heads.findall(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")}
    names, before = {"Kind"}, 0
    while len(names) > before:
        before = len(names)
        names |= {
            name for found in files.values() for name, bases in found if not names.isdisjoint(re.findall(r"\w+", bases))
        }
    found = {}
    for path, classes in files.items():
        module = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
        found |= {name: getattr(import_module(module), name) for name, _ in classes if name in names}
    return {name: kind for name, kind in found.items() if not isabstract(kind)}


KINDS_OF_WORK = kinds_of_work()


@pytest.mark.parametrize("kind", KINDS_OF_WORK.values())
def test_a_kind_is_found_by_its_name(kind: type[Kind[Any, Any]]) -> None:
    assert type(kind_named(kind.name())) is kind


@pytest.mark.parametrize(
    "name",
    ["", "Pairs", "os:system", "subprocess:Popen", "kr.match.pairs:", "kr.match.pairs:Table",
     "kr.no_such:Pairs", "kr.jobs.kinds:Kind", "kr.players.workers:EngineKind"],
)  # fmt: skip
def test_what_names_no_kind_is_refused(name: str) -> None:
    with pytest.raises(InvalidSettingError, match="is not a kind of work"):
        kind_named(name)


ELSEWHERE = """
import json, sys
from kr.jobs.kinds import kind_named, perform
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
for line in sys.stdin:
    given = json.loads(line)
    needs = Needs(given["places"])
    results = []
    for unit in (Unit(**values) for values in given["units"]):
        results.append([bytes(kind_named(unit.kind).encode(value)).hex() for value in perform(unit, needs)])
    print(json.dumps(results), flush=True)
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., list[list[bytes]]]]:
    """The results of units in another process, in a directory of its own."""
    environment = os.environ | {"PYTHONPATH": str(Path(kinds.__file__).parents[2]), "KR_EGDB": "none"}
    with subprocess.Popen(
        [sys.executable, "-P", "-c", ELSEWHERE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment, cwd=tmp_path_factory.mktemp("cwd"),
    ) as process:  # fmt: skip
        assert process.stdin
        assert process.stdout
        asked, answered = process.stdin, process.stdout

        def done(units: Sequence[Unit], places: dict[str, str]) -> list[list[bytes]]:
            print(json.dumps({"units": list(map(asdict, units)), "places": places}), file=asked, flush=True)
            return [[bytes.fromhex(chunk) for chunk in chunks] for chunks in json.loads(answered.readline())]

        yield done
        asked.close()


@contextmanager
def listening() -> Iterator[list[FinishedPortion[Any]]]:
    """All parts that pools give."""
    given: list[FinishedPortion[Any]] = []
    run = Pool.run

    def listened(self: Pool[Any, Any], units: Any) -> Any:
        with closing(run(self, units)) as found:
            for part in found:
                given.append(part)
                yield part

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool.Pool, "run", listened)
        yield given


def ignored(*told: object) -> None:
    """Hears of what is done."""


class Here:
    """Weights, openings and a database in one place for this process, and in another one for the other."""

    def __init__(self, directory: Path, whole: Path, weights: Path, parts: list[FinishedPortion[Any]]) -> None:
        self.directory, self.parts = directory, parts
        here, there = directory / "here", directory / "there"
        here.mkdir()
        there.mkdir()
        self.weights = shutil.copyfile(weights, here / "random.h5")
        self.egdb = shutil.copytree(whole, here / "egdb")
        self.deck = here / "deck.txt"
        self.deck.write_text("B:W21-32:B1-8,10-12,14\nW:W21-32:B1-7,9-12,16\n")
        self.games = here / "games.pdn"
        self.games.write_text('[Event "x"]\n[FEN "B:W18,K29,30:B1,2,3"]\n\n1. 2-7 18-14 2. 7-10 14x7 3. 3x10 *\n' * 2)
        database = load_database(str(self.egdb))
        assert database is not None
        signature = Engine(self.weights, 1, database="none").signature
        players = {
            f"{signature} egdb {database.signature}": f"{there / 'other.h5'},egdb={there / 'db'}",
            f"material egdb {database.signature}": f"material,egdb={there / 'db'}",
        }
        policy = shutil.copyfile(shipped_policy(), there / "policy.h5")
        book = shutil.copyfile(data_path("books", "kr.krb"), there / "book.krb")
        players |= {load_policy().signature: str(policy), OpeningBook(book).signature: str(book)}
        self.places = players | {signature: str(there / "other.h5"), database.signature: str(there / "db")}
        self.move = lambda: (self.weights.rename(there / "other.h5"), self.egdb.rename(there / "db"))

    def selfplay(self) -> None:
        selfplay(SelfplaySettings(
            games=7, shard_games=3, nodes=150, out=self.directory / "run", weights=str(self.weights), hash=1 << 18,
            openings=str(self.deck), egdb=str(self.egdb),
        ))  # fmt: skip
        there = self.deck.rename(self.directory / "there" / "openings.txt")
        openings = json.loads((self.directory / "run" / "run.json").read_text())["shaping"]["openings"].split()[1]
        self.places[openings] = str(there)

    def match(self) -> None:
        play_match(MatchSettings(
            a=str(self.weights), b="material", games=4, tc=Limits(nodes=200), hash=1 << 20, egdb=str(self.egdb),
            ballot="endings",
        ))  # fmt: skip

    def solve(self) -> None:
        limits = (Limits(nodes=2000), Limits(depth=4))
        settings = SolveSettings(weights=str(self.weights), tc=limits, hash=1 << 20, multipv=2, egdb=str(self.egdb))
        solve_all(classics()[:3], settings)

    def annotate(self) -> None:
        annotate_files(AnnotateSettings(
            files=(self.games,), html=self.directory / "pages", tc=Limits(nodes=400), weights=str(self.weights),
            hash=1 << 20, egdb=str(self.egdb), from_ply=0,
        ))  # fmt: skip

    def judge(self) -> None:
        settings = PlayersSettings(
            files=(self.games,), out=self.directory / "players.h5", nodes=400, weights=str(self.weights), hash=1 << 20,
            egdb=str(self.egdb),
        )  # fmt: skip
        measure_losses(read_decisions(settings.reading), settings)

    def evolve(self) -> None:
        evolve(EvolveSettings(
            self.directory / "evolution", generations=2, plies=2, population=4, games=1, moves=10, comparisons=2,
            playouts=(20,), rounds=20,
        ))  # fmt: skip

    def book(self) -> None:
        settings = BookSettings(
            out=self.directory / "book.sqlite", openings=str(self.deck), nodes=300, positions=4,
            weights=str(self.weights), hash=1 << 20, egdb=str(self.egdb),
        )  # fmt: skip
        build_book(settings, lambda progress: None)

    def ask(self, kind: EngineKind[Any], **values: Any) -> None:
        """One unit with the engine of the others."""
        work = EngineWork(kind, self.settings(ProveSettings))
        list(work.pool().run(iter([work.unit("0", values)])))

    def settings(self, of: type[Any], **changed: Any) -> Any:
        limits = {} if "nodes" in changed else {"tc": Limits(nodes=2000)}
        return of(weights=str(self.weights), hash=1 << 20, egdb=str(self.egdb), **limits, **changed)

    def check(self) -> None:
        check_problems(self.settings(CheckSettings, source=DRAWN, all=True), ignored, ignored)

    def vary(self) -> None:
        vary(self.settings(VarySettings, source=DRAWN, pieces="4"), ignored, ignored, ignored)

    def stars(self) -> None:
        self.games.write_text('[FEN "B:W18,K29,30:B1,2,3"]\n\n1. 2-7 18-14 2. 7-10* 14x7 3. 3x10 *\n')
        check_stars(self.settings(StarSettings, file=self.games), ignored, ignored)

    def find(self) -> None:
        out, places = self.directory / "found.jsonl", {"sources": ("egdb",), "pieces": "3", "positions": 60, "proof": 0}
        find_puzzles(self.settings(FindSettings, out=out, nodes=2000, **places), ignored, ignored)

    def grade(self) -> None:
        grade_ballots(self.settings(GradeSettings, out=self.directory / "some.grades.jsonl", sample=2), ignored)

    def cooks(self) -> None:
        self.ask(CookSearches(), key=book_key(Position()), numbers=[0, 3], nodes=300)

    def prove(self) -> None:
        prove(self.settings(ProveSettings, fen="B:WK18,22:BK1,2,3", goal="win"))

    def rank(self) -> None:
        decisions = read_decisions(ReadSettings((self.games,)))
        moves = SearchMoves(100, self.directory, str(self.weights), str(self.egdb))
        moves.predict(decisions, np.arange(len(decisions)))

    def bench(self) -> None:
        list(Pool(SearchSignature(), Needs(), 1).run(iter([Unit(SearchSignature.name(), "0", {}, {}, {})])))

    def verify(self) -> None:
        verify_database(VerifySettings(dir=self.egdb))
        verify_database(VerifySettings(dir=self.egdb, sample=0.1))
        key = self.parts[-1].unit.needs["egdb"]
        self.places[key] = str(self.directory / "there" / "db")

    def build(self) -> None:
        kept = self.directory / "there" / "values"
        build_database(BuildSettings(pieces=3, dir=self.directory / "built", distances=2, keep_values=kept))
        for unit in (part.unit for part in self.parts if part.last):
            crc = int.from_bytes(results(self.parts)[unit.key][0], "little")
            pair = shape_named(unit.values["pair"])
            self.places[values_key(pair, crc)] = str(values_path(kept, pair))


TIMES = {"time", "move_from", "agrees_from", "processor", "seconds", "nodes_per_second"}
DRAWN = "B:WK8,30:BK21,22"


def timeless(kind: str, chunk: Chunk) -> Any:
    """A chunk without the times that its searches took."""
    if kind == EvolutionDuels.name():
        return json.loads(bytes(chunk))[0]
    if kind in (Shards.name(), SlicePairs.name()) or not isinstance(found := json.loads(bytes(chunk)), dict):
        return bytes(chunk)
    found = {name: value for name, value in found.items() if name not in TIMES}
    if kind == Pairs.name():
        # the time, and that of the processor
        found["replies"] = [reply and [*reply[:3], *reply[4:5], *reply[6:]] for reply in found["replies"]]
    return found


def checked(unit: Unit, chunks: Sequence[bytes]) -> list[bytes]:
    """A result of a build with the CRC-32 of its values in their place, as a machine that builds alone has it."""
    found = values_of(unit, chunks) if unit.values["values"] else {}
    files = list(files_of(unit, chunks).values())
    if not found:
        return files
    with TemporaryDirectory() as folder:
        crc = write_values(Path(folder) / "values", shape_named(unit.values["pair"]), found)
    return [crc_chunk(crc), *files]


@pytest.fixture(scope="module")
def works(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Here]:
    """Each work done once, and what it needed moved to where the other process has it."""
    weights = save_random(tmp_path_factory.mktemp("weights") / "random.h5")

    @cache
    def done(work: str) -> Here:
        with listening() as parts:
            here = Here(tmp_path_factory.mktemp(work), whole, weights, parts)
            getattr(here, work)()
        here.move()
        return here

    return done


WORKS = {
    "selfplay": "Shards", "match": "Pairs", "solve": "Answers", "annotate": "AnnotatedGames",
    "judge": "PlayedGames", "book": "BookSearches", "evolve": "EvolutionDuels", "check": "ProblemChecks",
    "vary": "VariationChecks", "stars": "StarChecks", "find": "PuzzleLots", "grade": "BallotSearches",
    "cooks": "CookSearches", "prove": "LeafSearches", "rank": "RankedPositions",
    "verify": "RangeCheck", "build": "SlicePairs", "bench": "SearchSignature",
}  # fmt: skip
"""The kind of units of each work of `Here`."""
OF_THIS_MACHINE = {"FileCheck"}
"""Kinds that are about files of one machine, and so go to no other process."""


def test_each_kind_has_its_case() -> None:
    assert {*WORKS.values()} == KINDS_OF_WORK.keys() - OF_THIS_MACHINE


@pytest.mark.slow
@pytest.mark.parametrize(
    "work", ["selfplay", "match", "solve", "judge", "evolve", "prove", "rank"], scope="module"
)  # in the order of the test below: both are done with a work before the next one is made
def test_a_search_that_was_ended_gives_no_result(work: str, works: Callable[[str], Here]) -> None:
    here = works(work)
    unit, needs = here.parts[-1].unit, Needs(here.places)
    kind, stop = kind_named(unit.kind), Stop()
    tools = kind.open(unit, needs)
    stop.set()
    pieces = [piece for step in kind.steps(unit, needs) for piece in step]
    assert pieces
    assert [piece.do(tools, stop) for piece in pieces] == [None] * len(pieces)
    kind.close(tools)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "kind"),
    # of the bench millions of nodes
    [pytest.param(work, KINDS_OF_WORK[kind], marks=[pytest.mark.soak] * (work == "bench"))
     for work, kind in WORKS.items()],
    scope="module",
)  # fmt: skip
def test_another_process_does_a_unit_as_this_one(
    work: str, kind: type[Kind[Any, Any]], works: Callable[[str], Here], elsewhere: Callable[..., list[list[bytes]]]
) -> None:
    here = works(work)
    mine = [part for part in here.parts if part.unit.kind == kind.name()]
    encoded = {key: list(map(kind().encode, values)) for key, values in results(mine).items()}
    units = list({part.unit.key: part.unit for part in mine}.values())
    for unit, chunks in zip(units, elsewhere(units, here.places), strict=True):
        if kind is SlicePairs:
            chunks = checked(unit, chunks)
        there, own = ([timeless(kind.name(), chunk) for chunk in each] for each in (chunks, encoded[unit.key]))
        assert there == own
        assert there
        # a value is the same after it has travelled
        assert [kind().encode(kind().decode(unit, chunk)) for chunk in chunks] == chunks
    if kind in (EvolutionDuels, SearchSignature):
        # genomes are in the unit itself, positions are those of kr
        return
    # what is needed is named, and nothing else is taken for it
    needed = [unit for unit in units if unit.needs]
    assert needed
    with pytest.raises(MissingNeedError, match="place is unknown here"):
        perform(needed[-1], Needs())
    with pytest.raises(KrError):
        perform(needed[-1], Needs(dict.fromkeys(here.places, "manual")))


def test_a_unit_is_its_text() -> None:
    values = {"fen": None, "lines": [1.5, {"a": [True]}]}
    unit = Unit(Answers.name(), "1 é", {"weights": "ab"}, {"hash": 1 << 20}, values)
    assert Unit(**json.loads(json.dumps(asdict(unit)))) == unit
