"""`kr policy test`."""

from kr.cli import console, options
from kr.settings import option
from kr.studies.people.scores import PredictionScore
from kr.studies.people.testing import PolicyTest, PolicyTestSettings, TestedModel, measure_policy


@options.command
def command(
    settings: PolicyTestSettings,
    kinds: bool = option(False, "Show scores by kinds of decisions, and the calibration."),
    json: bool = options.JSON,
) -> None:
    """Test the predictions of a policy, and of rivals, on recorded games.

    Shares are of decisions whose move is among the first k choices, with the 95% error of the first; "unforced" leaves
    forced and prescribed moves out. "nats" is the cross entropy of the unforced ones. Without --split the decisions are
    those that the policy's own fit left for testing, or all of files that it doesn't know.

    Example:
        kr policy test policy.h5 games.pdn.xz
        kr policy test policy.h5 games.pdn.xz --against seen,random,nodes=500
        kr policy test shipped other.pdn --kinds --json
    """
    with console.Stages() as stages:
        test = measure_policy(settings, stages.show)
    if json:
        console.emit_json(
            {
                "policy": settings.policy, "split": test.split, "seed": test.seed, "leak": test.leak,
                "warning": test.warning or None, "games": test.facts,
                "models": [each.as_object() for each in test.models],
            }
        )  # fmt: skip
        return
    console.put(_text(test, kinds))
    if test.warning:
        console.say(f"kr: {test.warning}")


def _text(test: PolicyTest, kinds: bool) -> str:
    columns = ["", "of", "first", "", "2", "3", "5", "10", "nats"]
    rows = []
    for each in test.models:
        rows.append((each.name, "all", *_shares(each.all), ""))
        entropy = each.unforced.entropy
        rows.append(("", "unforced", *_shares(each.unforced), "" if entropy is None else f"{entropy:.3f}"))
    first = test.models[0]
    parts = f"the test part of the split by {test.split}, seed {test.seed}" if test.split != "all" else "all games"
    leaked = "" if test.leak is None else f"; {test.leak:.1%} of the positions stand in the training part"
    head = f"{first.all.decisions:,} decisions, {first.unforced.decisions:,} unforced: {parts}{leaked}"
    text = [console.fold(head), "", console.table(columns, rows)]
    if kinds:
        text += [_kinds(each) for each in test.models]
    return "\n".join(text)


def _kinds(model: TestedModel) -> str:
    rows = []
    group = ""
    for name, label, score in model.kinds:
        entropy = "" if score.entropy is None else f"{score.entropy:.3f}"
        shares = _shares(score)
        rows.append((name if name != group else "", label, f"{score.decisions:,}", *shares[:2], *shares[3:4], entropy))
        group = name
    text = f"\n{model.name}, unforced decisions\n" + console.table(
        ["", "kind", "decisions", "first", "", "3", "nats"], rows
    )
    if model.calibration:
        bins = [(f"{each.choices:,}", f"{each.predicted:.3f}", f"{each.played:.3f}") for each in model.calibration]
        text += f"\n\n{model.name}, calibration: off by {model.calibration_error:.4f} on average\n"
        text += console.table(["choices", "predicted", "played"], bins)
    return text


def _shares(score: PredictionScore) -> list[str]:
    first, *others = score.top.items()
    rest = [f"{100 * share:.2f}" for _, share in others]
    return [f"{100 * first[1]:.2f}", f"± {100 * score.error[first[0]]:.2f}", *rest]
