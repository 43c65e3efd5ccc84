"""Likely verdicts on positions of four kinds, against their values: the share that comes true must be the stated one.

    kr selfplay --games 600 --nodes 1k --seed 7 --out GAMES
    kr egdb build --pieces 6 --distances 0 --dir EGDB
    python bench/verdicts.py DIR draw --problems problems.jsonl --archives FILE.pdn ... --games GAMES
    python bench/verdicts.py DIR search --nodes 20k 200k        # the two scores of each, with the shipped database
    python bench/verdicts.py DIR search --nodes 2M --every 8    # more nodes for some
    python bench/verdicts.py DIR prove --egdb EGDB --nodes 400k # the values, by a larger database and by proofs
    python bench/verdicts.py DIR prove --egdb EGDB --nodes 12M  # again, where a verdict is stated and the value open
    python bench/verdicts.py DIR table                          # the table, and exit code 1 where a goal is missed

DIR keeps cases, scores and values; each command resumes. Kinds: composed problems, positions along their published
solutions with either side to move, positions of people's games and of self-play, at most one of a game and a number of
pieces, with 6 pieces or more. A value is that of the database, or of a certificate; where it stays open in a problem or
along its solution, the published one. Positions whose value the searches prove themselves don't count.

Values that are easy to prove are no fair sample of all. So a value that only the larger limit proved is late, and an
open one counts as the late ones of its kind: by their share, or by the share of all where fewer than LEAST are late.

Goals: of each stated chance with LEAST cases or more the share that comes true is within MARGIN, in each kind and for
each side to move, and so does what is said of composed problems; verdicts in a row along a line don't contradict each
other; more nodes make no share worse.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_PROVED, SCORE_WIN
from kr.evaluation.verdicts import RULE, Likely, likely, likely_if_composed
from kr.game.position import Position
from kr.game.value import Value
from kr.learn.games import read_game_arrays
from kr.pdn import read_games
from kr.problems.problem import Problem, load_problems
from kr.proofs.certificate import Claim
from kr.proofs.decider import Decider
from kr.units import parse_count

KINDS = "composed", "solution", "people", "selfplay"
QUOTAS = {6: 160, 7: 160, 8: 120, 9: 80, 10: 60, 11: 30, 12: 30}
"""Positions of games, by number of pieces: few of those with more are ever proved."""
OF_A_LINE = 8
"""Most positions of a solution with each side to move."""
LEAST, MARGIN = 50, 0.05
NODES = 200_000
"""Limit whose verdicts the table is about."""
Record = dict[str, Any]


# --- drawing


def draw(options: argparse.Namespace) -> None:
    """Draw the cases."""
    source = random.Random(options.seed)
    cases: list[Record] = []
    seen: set[str] = set()

    def add(kind: str, position: Position, **facts: Any) -> bool:
        if position.is_over or position.pieces < min(QUOTAS) or position.fen in seen:
            return False
        seen.add(position.fen)
        cases.append({"kind": kind, "fen": position.fen, **facts})
        return True

    problems = [each for name in (None, options.problems) for each in load_problems(name) if each.published]
    for problem in problems:
        add("composed", problem.position, id=problem.id, ply=0, published=problem.published)
    for problem in problems:
        for ply, position in sorted(_of_solution(problem, source), key=lambda each: each[0]):
            add("solution", position, id=problem.id, ply=ply, published=_seen_from(problem.published, ply))
    for kind, games in (("people", _recorded(options.archives, options.share, source)), ("selfplay", _own(options))):
        pools = defaultdict(list)
        for positions in games:
            by_pieces = defaultdict(list)
            for position in positions:
                if position.pieces in QUOTAS and not position.is_over:
                    by_pieces[position.pieces].append(position)
            for pieces, some in by_pieces.items():
                pools[pieces].append(source.choice(some))
        for pieces, quota in QUOTAS.items():
            source.shuffle(pools[pieces])
            taken = 0
            for position in pools[pieces]:
                if taken == quota:
                    break
                taken += add(kind, position)
    source.shuffle(cases)
    with (options.dir / "cases.jsonl").open("w") as file:
        file.writelines(json.dumps({"n": n, **case}) + "\n" for n, case in enumerate(cases))
    print(Counter(case["kind"] for case in cases))


def _of_solution(problem: Problem, source: random.Random) -> Iterator[tuple[int, Position]]:
    line = [problem.position]
    for text in problem.solution.split():
        try:
            line.append(line[-1].play(text))
        except ValueError:
            break
    for first in (2, 1):
        plies = range(first, len(line), 2)
        places = [(n, line[n]) for n in plies if line[n].pieces >= min(QUOTAS) and not line[n].is_over]
        yield from source.sample(places, min(len(places), OF_A_LINE))


def _seen_from(value: Value | None, ply: int) -> Value | None:
    return value.opposite if value and ply % 2 else value


def _recorded(paths: Iterable[Path], share: float, source: random.Random) -> Iterator[list[Position]]:
    for path in paths:
        for game in read_games(path, errors=[]):
            if source.random() < share:
                yield list(game.positions())


def _own(options: argparse.Namespace) -> Iterator[list[Position]]:
    games = read_game_arrays(options.games)
    boards = games.positions().tolist()
    for first, end in pairwise(games.first):
        yield [Position.from_bits(tuple(board)) for board in boards[first:end]]


# --- searching and proving


def search(options: argparse.Namespace) -> None:
    """Search the cases with each limit: two searches, of the position and after its best move."""
    engine, path = Engine(), options.dir / "scores.jsonl"
    pairs = {(each["n"], each["nodes"]) for each in _lines(path)}
    cases = _lines(options.dir / "cases.jsonl")[:: options.every]
    tasks = [(case, nodes) for case in cases for nodes in options.nodes if (case["n"], nodes) not in pairs]
    with path.open("a") as file:
        for number, (case, nodes) in enumerate(tasks, 1):
            position = Position.from_fen(case["fen"])
            file.write(json.dumps({"n": case["n"], "nodes": nodes, **two_scores(engine, position, nodes)}) + "\n")
            file.flush()
            print(f"{number}/{len(tasks)}", end="\r", file=sys.stderr)


def two_scores(engine: Engine, position: Position, nodes: int) -> Record:
    """Scores and proved values for the side to move, by a search of a position and one after its best move."""
    engine.new_game()
    result = engine.search(position, Limits(nodes=nodes))
    after = position.play(result.move)
    if after.is_over:
        return {"score": result.score, "value": result.value, "reply": SCORE_WIN, "reply_value": Value.WIN}
    engine.new_game()
    reply = engine.search(after, Limits(nodes=nodes), history=[position])
    return {
        "score": result.score, "value": result.value, "reply": -reply.score,
        "reply_value": reply.value and reply.value.opposite,
    }  # fmt: skip


def prove(options: argparse.Namespace) -> None:
    """Prove values: of all cases with the first limit, then of those with a verdict that are open."""
    engine, path = Engine(hash_mb=128, database=options.egdb), options.dir / "proofs.jsonl"
    engine.database or sys.exit(f"{options.egdb}: no endgame database")
    tasks = [
        case
        for case in read_cases(options.dir)
        if not case.proved and (case.tried is None or (case.is_open and case.verdict and case.tried < options.nodes))
    ]
    with path.open("a") as file:
        for number, case in enumerate(tasks, 1):
            least, most, by = bounds(engine, case.position, options.nodes)
            record = {"n": case.record["n"], "nodes": options.nodes, "least": least, "most": most, "by": by}
            file.write(json.dumps(record) + "\n")
            file.flush()
            print(f"{number}/{len(tasks)}", end="\r", file=sys.stderr)


def bounds(engine: Engine, position: Position, nodes: int) -> tuple[Value, Value, str]:
    """The worst and the best value that is not disproved within so many nodes, and by what."""
    value = engine.database.value(position) if engine.database and engine.database.has(position) else None
    if value is not None:
        return value, value, "database"
    engine.new_game()
    result = engine.search(position, Limits(nodes=nodes // 4))
    if result.value is not None:
        return result.value, result.value, "search"
    wins, loses = (Claim(position, side, Value.WIN) for side in (position.side, position.side.other))
    with Decider(engine, Limits(nodes=nodes)) as decider:
        decider.decide(
            [wins, loses] if result.score >= 0 else [loses, wins],
            enough=lambda: any(
                (decision := decider.decision_of(each)) is not None and decision.holds for each in (wins, loses)
            ),
        )
        won, lost = decider.decision_of(wins), decider.decision_of(loses)
    if won and won.holds:
        return Value.WIN, Value.WIN, "certificate"
    if lost and lost.holds:
        return Value.LOSS, Value.LOSS, "certificate"
    least, most = Value.LOSS if lost is None else Value.DRAW, Value.WIN if won is None else Value.DRAW
    return least, most, "certificate" if least is most else "open"


# --- the table


@dataclass
class Case:
    """A case with what is known of it."""

    record: Record
    scores: dict[int, Record]
    least: Value = Value.LOSS
    most: Value = Value.WIN
    tried: int | None = None
    """Nodes of the last proof that was tried."""
    late: bool = False
    """True if only a second, longer proof gave the value."""

    @property
    def position(self) -> Position:
        """The position."""
        return Position.from_fen(self.record["fen"])

    @property
    def pieces(self) -> int:
        """Number of pieces."""
        return self.position.pieces

    @property
    def group(self) -> str:
        """Kind and side to move."""
        kind = self.record["kind"]
        side = ("solver", "opponent")[self.record["ply"] % 2] if kind == "solution" else self.position.side.name.lower()
        return f"{kind}, {side}"

    @property
    def is_open(self) -> bool:
        """True if no proof gave the value."""
        return self.least is not self.most

    @property
    def value(self) -> Value | None:
        """The value: proved, or published if nothing is against it; None if it is open."""
        if not self.is_open:
            return self.least
        published = self.record.get("published")
        if published is None or not self.least.sign <= Value(published).sign <= self.most.sign:
            return None
        return Value(published)

    def proved_by(self, nodes: int) -> Value | None:
        """The value that the two searches prove by themselves; None if they don't."""
        scores = self.scores[nodes]
        won = scores["reply_value"] == Value.WIN or scores["reply"] > SCORE_PROVED
        return Value(scores["value"]) if scores["value"] else Value.WIN if won else None

    @property
    def proved(self) -> bool:
        """True if its searches prove the value, so that it has no likely one."""
        return self.proved_by(NODES) is not None

    def verdict_by(self, nodes: int, scale: float) -> Likely | None:
        """The verdict by searches of so many nodes: proved, likely, or None."""
        if (value := self.proved_by(nodes)) is not None:
            return Likely(value, 1.0)
        scores = self.scores[nodes]
        return likely(scores["score"], scores["reply"], self.pieces, scale)

    @property
    def verdict(self) -> Likely | None:
        """The verdict that the table is about."""
        return self.verdict_by(NODES, SCALE)

    def is_said(self, value: Value) -> bool:
        """True if that is the verdict."""
        return self.verdict is not None and self.verdict.value is value


SCALE = Engine(hash_mb=1, database=None).score_scale


def _lines(path: Path) -> list[Record]:
    """Records of a file; the last one may be cut off."""
    if not path.exists():
        return []
    text = path.read_text()
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def read_cases(folder: Path) -> list[Case]:
    """Cases with scores of the limit that counts, and what is proved of them."""
    scores: dict[int, dict[int, Record]] = defaultdict(dict)
    for each in _lines(folder / "scores.jsonl"):
        scores[each["n"]][each["nodes"]] = each
    cases = {
        n: Case(record, scores[n]) for record in _lines(folder / "cases.jsonl") if NODES in scores[n := record["n"]]
    }
    for proof in _lines(folder / "proofs.jsonl"):
        case = cases[proof["n"]]
        case.late = case.tried is not None
        case.tried = proof["nodes"]
        case.least, case.most = Value(proof["least"]), Value(proof["most"])
    return list(cases.values())


def share_true(cases: Sequence[Case]) -> float:
    """Share of verdicts that come true, where the open ones count as those that were late to be proved."""
    valued = [case for case in cases if case.value is not None]
    late = [case for case in valued if case.late]
    model = late if len(late) >= LEAST else valued
    right = sum(map(_is_right, valued))
    return (right + (len(cases) - len(valued)) * sum(map(_is_right, model)) / max(len(model), 1)) / max(len(cases), 1)


def _is_right(case: Case) -> bool:
    return case.value is not None and case.is_said(case.value)


def table(options: argparse.Namespace) -> None:
    """Print the table and what misses a goal."""
    cases = read_cases(options.dir)
    faults: list[str] = []
    print(f"{'kind, side to move':22} positions unproved verdicts  stated  cases known right  late right  open  share")
    for group in sorted({case.group for case in cases}):
        members = [case for case in cases if case.group == group]
        unproved = [case for case in members if not case.proved]
        stated = [case for case in unproved if case.verdict]
        heading = f"{group:22} {len(members):9} {len(unproved):8} {len(stated):8}"
        for value in ("won or lost", "drawn"):
            of_value = [each for each in stated if each.is_said(Value.DRAW) == (value == "drawn")]
            if not of_value:
                continue
            chance = RULE["chance"]
            known = [each for each in of_value if each.value is not None]
            late = [each for each in known if each.late]
            share = share_true(of_value)
            print(
                f"{heading:49} {chance:6.0%} {len(of_value):6} {len(known):5} {sum(map(_is_right, known)):5} "
                f"{len(late):5} {sum(map(_is_right, late)):5} {len(of_value) - len(known):5}  {share:.1%} {value}"
            )
            heading = ""
            if len(of_value) >= LEAST and abs(share - chance) > MARGIN:
                faults.append(f"{group}: {value} is stated with {chance:.0%}, and {share:.1%} come true")
    faults += [*_wrong_if_composed(cases), *_contradictions(cases), *_worse(cases)]
    print("\n".join(faults) or "every goal is reached")
    sys.exit(bool(faults))


def _wrong_if_composed(cases: Sequence[Case]) -> Iterator[str]:
    """Sides of composed problems for which what is likely of those comes true more or less often than stated."""
    for side in ("black", "white"):
        said = [
            (case, verdict)
            for case in cases
            if case.group == f"composed, {side}" and not case.proved and case.value is not None
            if (verdict := likely_if_composed(case.scores[NODES]["score"], SCALE))
        ]
        right = sum(verdict.value is case.value for case, verdict in said)
        share, chance = right / max(len(said), 1), RULE["composed"]["chance"]
        print(f"if composed, {side}: {len(said)} likely values, stated with {chance:.0%}, {right} right, {share:.1%}")
        if len(said) >= LEAST and abs(share - chance) > MARGIN:
            yield f"if composed, {side}: {chance:.0%} is stated, and {share:.1%} come true"


def _contradictions(cases: Sequence[Case]) -> Iterator[str]:
    """Verdicts in a row along a line that contradict each other, unless both are proved right: a move threw it away."""
    lines = {(case.record["id"], case.record["ply"]): case for case in cases if "id" in case.record}
    pairs = [(case, after) for (name, ply), case in lines.items() if (after := lines.get((name, ply + 1)))]
    said = [(one, other) for one, other in pairs if one.verdict and other.verdict]
    print(f"{len(pairs)} pairs of positions in a row along lines, {len(said)} with two verdicts")
    for one, other in said:
        right = all(each.proved or (not each.is_open and each.is_said(each.least)) for each in (one, other))
        if one.verdict and not right and not other.is_said(one.verdict.value.opposite):
            yield f"{one.record['fen']}: {one.verdict}, then {other.verdict}"


def _worse(cases: Sequence[Case]) -> Iterator[str]:
    """Limits with more nodes whose verdicts are wrong more often, on the same positions."""
    limits = sorted({nodes for case in cases for nodes in case.scores})
    for few, many in pairwise(limits):
        shares = []
        both = [case for case in cases if case.value is not None and few in case.scores and many in case.scores]
        for nodes in (few, many):
            stated = [(each, said) for each in both if (said := each.verdict_by(nodes, SCALE))]
            right = sum(said.value is each.value for each, said in stated)
            shares.append(right / max(len(stated), 1))
            print(f"{nodes:,} nodes: {len(stated)} verdicts on {len(both)} positions, {right} right, {shares[-1]:.1%}")
        if shares[1] < shares[0] - MARGIN / 5:
            yield f"{many:,} nodes: {shares[1]:.1%} are right, {shares[0]:.1%} of those of {few:,}"


def main() -> None:
    """Draw, search, prove or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path, help="directory of cases, scores and values")
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="draw the positions of the four kinds")
    drawing.add_argument("--problems", type=Path, required=True, help="file of problems, beside the built-in ones")
    drawing.add_argument("--archives", type=Path, nargs="+", required=True, help="people's games, PDN")
    drawing.add_argument("--share", type=float, default=0.3, help="share of them to read (default: 0.3)")
    drawing.add_argument("--games", type=Path, required=True, help="run directory of self-play")
    drawing.add_argument("--seed", type=int, default=1, help="of the draw (default: 1)")
    searching = commands.add_parser("search", help="search them, or resume that")
    searching.add_argument("--nodes", type=parse_count, nargs="+", required=True, help="limits of a search")
    searching.add_argument("--every", type=int, default=1, help="take every Nth case (default: 1)")
    proving = commands.add_parser("prove", help="prove their values, or resume that")
    proving.add_argument("--egdb", required=True, help="directory of a larger endgame database")
    proving.add_argument("--nodes", type=parse_count, required=True, help="limit of a proof")
    commands.add_parser("table", help="print the table, and fail where a goal is missed")
    options = parser.parse_args()
    options.dir.mkdir(parents=True, exist_ok=True)
    {"draw": draw, "search": search, "prove": prove, "table": table}[options.command](options)


if __name__ == "__main__":
    main()
