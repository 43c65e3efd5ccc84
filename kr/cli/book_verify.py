"""`kr book verify`."""

from typing import Any

from kr.cli import console, options
from kr.evaluation.chances import format_score
from kr.theory.verifying import MISTAKE, BookVerification, BookVerifySettings, finding_json, verify_book
from kr.units import counted


@options.command
def verify_command(settings: BookVerifySettings, json: bool = options.JSON) -> None:
    """Search a share of a book's positions again with many times the nodes, and correct its mistakes.

    A mistake is a chosen move that loses more than 10 centi-men against the best of the new search. New searches take
    the place of the old ones. If the book's value of a mistaken move comes from later positions, those along its line
    are searched as deeply, until the book chooses otherwise or they uphold the move; a packed book stays as it is.
    Positions with a choice are drawn alike, or with --chance games the likelier the more games came there. The same
    command resumes.

    Example:
        kr book verify book.sqlite --share 0.01 --times 10
        kr book verify book.sqlite --chance games --seed 2 --journal 2.jsonl
    """
    with console.work("verifying", None, "positions", resumes=True) as progress:

        def on_progress(state: BookVerification) -> None:
            share = f"{len(state.findings):,} of {state.drawn:,} drawn"
            progress.advance(1, f"{share}, {counted(len(state.mistakes), 'mistake')}")

        outcome = verify_book(settings, on_progress)
    facts = _facts(outcome)
    mistakes = [finding_json(each) for each in outcome.mistakes]
    if json:
        console.emit_json({"settings": settings, **facts, "found": mistakes})
        return
    console.put(console.facts([(name.replace("_", " "), _text(value)) for name, value in facts.items()]))
    if mistakes:
        rows = [
            (each["fen"], each["chosen"], format_score(each["value"]), each["best"], format_score(each["score"]),
             "more" if each["loss"] is None else each["loss"])
            for each in mistakes
        ]  # fmt: skip
        console.put()
        console.put(console.table(["position", "chosen", "value", "best", "score", "loss"], rows))


def _facts(outcome: BookVerification) -> dict[str, Any]:
    verified, wrong = len(outcome.findings), len(outcome.mistakes)
    corrections = {
        "corrected": len(outcome.corrected), "upheld": len(outcome.upheld),
        "searched_along_lines": outcome.along_lines,
    } if outcome.corrects else {}  # fmt: skip
    return {
        "positions": outcome.positions, "verified": verified, "mistakes": wrong,
        "share_of_mistakes": wrong / verified if verified else 0.0, "mistake_over_centi_men": MISTAKE, **corrections,
    }  # fmt: skip


def _text(value: float) -> str:
    return f"{value:.2%}" if isinstance(value, float) else f"{value:,}"
