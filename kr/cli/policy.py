"""`kr policy`."""

from pathlib import Path
from typing import Any

from kr.cli import console, options, policy_players, policy_test
from kr.evaluation.kinds import SHIPPED
from kr.game.position import Position
from kr.policy.compact import COMPACT_POLICY_SUFFIX, save_compact_policy
from kr.policy.model_file import PolicyModel, read_policy
from kr.policy.policy import Policy, load_policy, shipped_policy
from kr.settings import REQUIRED, option
from kr.storage import check_output, lock
from kr.studies.people.fit_task import PolicyProgress
from kr.studies.people.settings import PolicyFitSettings
from kr.studies.people.training import fit_policy
from kr.text import visible
from kr.units import counted, format_size


@options.command
def _fit(settings: PolicyFitSettings, json: bool = options.JSON) -> None:
    """Learn the moves that people play from recorded games, and write a policy file.

    The games are split into a training part, a validation part and a test part; the file gets the best policy on the
    validation part, and its scores on the test part stand on its card. Run the same command to resume; an output
    of other games or settings is replaced. Fitting a network needs JAX, using a policy does not.

    Example:
        kr policy fit games.pdn.xz --out policy.h5
        kr policy fit games.pdn.xz --out policy.h5 --hidden 1024,128 --years 6
    """
    stages_shown: set[str] = set()
    with console.Stages() as stages:

        def on_progress(progress: PolicyProgress) -> None:
            stages_shown.add(progress.what)
            stages.show(progress.what, progress.count, progress.total, progress.unit, progress.more)

        model = fit_policy(settings, on_progress)
    earlier = not any(what.startswith("training") for what in stages_shown)
    if not earlier:
        console.wrote(settings.out, "policy")
    if json:
        console.emit_json({"policy": settings.out, "settings": settings, **_details(model)})
        return
    console.put(console.facts([("policy", f"{settings.out}{', fitted already' * earlier}"), *_facts(model)]))


@options.command
def _show(
    policy: str = option(REQUIRED, "Policy file of `kr policy fit`, or shipped.", argument=True, metavar="POLICY"),
    strength: float | None = option(
        None,
        "Mean loss of the player to move, as `kr policy players` has it, for a policy that takes it.",
        low=0,
        high=1,
    ),
    year: int | None = option(None, "Year of the game, for a policy that takes it.", low=1000, high=3000),
    fen: str | None = option(None, "Position whose moves to show.", argument=True, metavar="FEN"),
    moves: str = option("", "Moves to play first, such as '11-15 22-18'; alone, from the start.", metavar="MOVES"),
    json: bool = options.JSON,
) -> None:
    """Check a policy file and show its model, its card and its origin.

    With a position, it shows the legal moves instead with their probabilities by the policy alone, the likeliest first;
    `kr analyze` has those that a search has corrected.

    Example:
        kr policy show policy.h5
        kr policy show shipped --moves "11-15 23-19" --year 1890
        kr policy show policy.h5 "W:W18,22,25,26,28,30,31,32:B1,3,5,8,11,12,13,19"
    """
    path = shipped_policy() if policy == SHIPPED else Path(policy)
    model = read_policy(path)
    if fen is not None or moves:
        query = Policy(model), Position() if fen is None else Position.from_fen(fen), moves.split()
        _show_moves(*query, strength, year, json)
        return
    if json:
        console.emit_json({"policy": path, **_details(model), **model.attrs})
        return
    console.put(console.facts([("policy", str(path)), *_facts(model)]))
    if rows := _curve(model):
        console.put("\n" + console.table(["round", "loss", "validation", "first %", "first 3 %", "seconds"], rows))


def _show_moves(
    policy: Policy, position: Position, moves: list[str], strength: float | None, year: int | None, json: bool
) -> None:
    history = []
    for move in moves:
        history.append(position)
        position = position.play(move)
    likely = policy.choices(position, history, strength=strength, year=year)
    if json:
        rows = [{"move": str(each.move), "probability": each.probability} for each in likely]
        console.emit_json({"policy": policy.name, "fen": position.fen, "moves": rows})
        return
    if not likely:
        console.put("no legal move")
        return
    shares = [(str(each.move), f"{100 * each.probability:.1f}") for each in likely]
    console.put(console.table(["move", "policy %"], shares))


@options.command
def compact(
    file: str = option(
        SHIPPED, "Policy file of a net, or shipped: the policy that comes with kr.", argument=True, metavar="FILE"
    ),
    out: Path = option(REQUIRED, f"File to write, such as mine{COMPACT_POLICY_SUFFIX}.", metavar="FILE"),
    json: bool = options.JSON,
) -> None:
    """Write a policy as a compact file, which kr reads as a C library.

    Example:
        kr policy compact policy.h5 --out mine.krp
    """
    check_output(out)
    policy = load_policy(file)
    with lock(out):
        size = save_compact_policy(out, policy)
    console.wrote(out)
    if json:
        console.emit_json({"out": out, "bytes": size, "checksum": policy.model.checksum})
    else:
        console.put(f"{format_size(size)}, checksum {policy.model.checksum}")


def _details(model: PolicyModel) -> dict[str, Any]:
    return {
        "shape": model.shape, "numbers": model.numbers, "checksum": model.checksum, "evaluation": model.evaluation,
        "card": model.card,
    }  # fmt: skip


def _facts(model: PolicyModel) -> list[tuple[str, str]]:
    """Facts of a policy for people, from its card as far as it is one of `kr policy fit`."""
    facts = [("model", f"{model.shape}; {counted(model.numbers, 'number')}")]
    data, split, test = (_part(model.card, name) for name in ("data", "split", "test"))
    if data:
        files = ", ".join(map(str, data.get("files", ())))
        facts.append(("games", visible(f"{_count(data, 'games')} of {files}")))
        years = f"{data.get('first_year')} to {data.get('last_year')}"
        facts.append(("decisions", visible(f"{_count(data, 'decisions')}, {_count(data, 'forced')} forced; {years}")))
    if split:
        parts = ", ".join(f"{_count(split, part)} {part}" for part in ("training", "validation", "test"))
        facts.append(("split", visible(f"by {split.get('by')}: {parts}")))
    for name, what in (("top_all", "right"), ("top_chosen", "unforced")):
        if tops := _part(test, name):
            shares = (f"{_percent(tops.get(top))}% within {top}" for top in ("1", "2", "3", "5"))
            facts.append((what, ", ".join(shares)))
    if test:
        facts.append(("entropy", f"{_number(test.get('cross_entropy'))} nats an unforced move"))
    for name in ("good_for", "not_good_for"):
        if isinstance(text := model.card.get(name), str):
            facts.append((name.replace("_", " "), visible(text)))
    return [*facts, ("checksum", model.checksum)]


def _curve(model: PolicyModel) -> list[tuple[Any, ...]]:
    curve = _part(model.card, "fit").get("curve", [])
    points = [point for point in curve if isinstance(point, dict)] if isinstance(curve, list) else []
    return [
        (
            visible(str(point.get("round"))), _number(point.get("loss")), _number(point.get("validation_loss")),
            _percent(point.get("top1")), _percent(point.get("top3")), _number(point.get("seconds"), 0),
        )
        for point in points
    ]  # fmt: skip


def _part(card: Any, name: str) -> dict[str, Any]:
    part = card.get(name) if hasattr(card, "get") else None
    return part if isinstance(part, dict) else {}


def _count(part: dict[str, Any], name: str) -> str:
    number = part.get(name)
    return f"{number:,}" if type(number) is int else "?"


def _number(value: Any, digits: int = 4) -> str:
    return f"{value:.{digits}f}" if isinstance(value, int | float) else "-"


def _percent(share: Any) -> str:
    return f"{100 * share:.2f}" if isinstance(share, int | float) else "-"


command = options.group(
    """Learn the moves that people play from recorded games, and test the model.

    Example:
        kr policy fit games.pdn.xz --out policy.h5
        kr policy test policy.h5 games.pdn.xz --against seen,nodes=500
        kr policy show policy.h5
    """,
    {"fit": _fit, "show": _show, "test": policy_test.command, "players": policy_players.command, "compact": compact},
)
