"""`kr prove`."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from kr.cli import boards, console, options
from kr.egdb.database import load_database
from kr.errors import InvalidCertificateError, InvalidSettingError
from kr.notation import SIDE_NAMES
from kr.problems.problem import load_problems
from kr.proofs.certificate import NOT_COVERED, Certificate, read_certificate
from kr.proofs.checking import CheckReport, check_certificate
from kr.proofs.lines import hardest_line
from kr.proofs.proof import ClaimProgress, Proof
from kr.proofs.prover import ProveSettings, prove
from kr.settings import option
from kr.text import visible
from kr.units import counted


@options.command
def command(
    settings: ProveSettings,
    check: Path | None = option(
        None, "Check this certificate by the plain rules and the database, and prove nothing.", metavar="FILE"
    ),
    json: bool = options.JSON,
) -> None:
    """Prove the value of a position, and write a certificate that a plain program can check.

    The engine finds the moves, and is not trusted: a win is proved by a strategy whose every line ends by the rules or
    in the endgame database, a draw by two strategies, one by which each side does not lose. A bigger database proves
    more. The draws by rule (80 plies without progress, repetition) are not covered. A draw has two certificates:
    --out draw.krproof writes draw-black.krproof and draw-white.krproof. The exit code is 0 if the goal is proved, 1 if
    it is false or still open.

    Example:
        kr prove "W:W21,K30:B1,2"
        kr prove first-position --tc 10s
        kr prove "W:WK15,K18,K19,20:B12,21,K29,K30" --goal win --out win.krproof
        kr prove --check win.krproof
    """
    if check is not None:
        _refuse_others(settings)
        _check(check, settings, json)
        return
    if not settings.fen:
        raise InvalidSettingError("FEN: expected the position to prove, or --check FILE")
    settings = replace(settings, fen=_fen(settings.fen))
    seconds, nodes = settings.tc.time, settings.tc.nodes
    total, unit = (nodes, "nodes") if seconds is None else (seconds, "s")
    with console.work("proving", total, unit, resumes=settings.out is not None) as bar:

        def on_progress(proof: Proof) -> None:
            searched = sum(each.nodes for each in proof.claims)
            now = float(searched) if seconds is None else min(proof.seconds, seconds)
            bar.advance(now - bar.count, _standing(proof))

        proof = prove(settings, on_progress)
    for each in proof.claims:
        if each.path is not None and each.certificate is not None:
            console.wrote(each.path, _size(each.certificate))
    if json:
        console.emit_json(_object(proof, settings))
    else:
        boards.show(proof.position)
        console.put(_report(proof))
    if not proof.reached:
        console.fail(_shortfall(proof, settings.out))


def _fen(text: str) -> str:
    """The position of a FEN, or of a problem by its name. Raises InvalidSettingError, and what `load_problems` does."""
    if ":" in text:
        return text
    problems = load_problems(text)
    if len(problems) > 1:
        raise InvalidSettingError(
            f"{text!r} names {len(problems)} problems, {', '.join(each.id for each in problems[:3])} ...; expected one"
        )
    return problems[0].position.fen


def _standing(proof: Proof) -> str:
    """Progress in a few words: the claim that is nearest to its proof, and its numbers."""
    open_claims = [each for each in proof.claims if each.holds is None]
    leaves = sum(each.leaves for each in proof.claims)
    if not open_claims:
        return counted(leaves, "search")
    nearest = min(open_claims, key=lambda each: each.proof)
    return (
        f"{counted(leaves, 'search')}; {nearest.claim}: proof number {_number(nearest.proof)}, "
        f"disproof number {_number(nearest.disproof)}"
    )


def _report(proof: Proof) -> str:
    position = proof.position
    side = SIDE_NAMES[position.side]
    if proof.value is not None:
        verdict = f"{proof.value} for {side}, proved"
    elif proof.least.sign > -1:
        verdict = f"{side} does not lose, proved; a win is open"
    elif proof.most.sign < 1:
        verdict = f"{side} does not win, proved; a draw is open"
    else:
        verdict = "open"
    # those that are settled by others say nothing new
    news = proof.telling if proof.answered else [each for each in proof.claims if each.leaves or each.holds]
    claims = [(str(each.claim), _claim(each)) for each in news]
    nodes = sum(each.nodes for each in proof.claims)
    searches = counted(sum(each.leaves for each in proof.claims), "search")
    resumed = f", {proof.resumed:,} of them from an earlier run" if proof.resumed else ""
    facts = [
        ("position", f"{position.fen}, {side} to move"),
        ("value", verdict),
        *claims,
        ("searched", f"{searches}{resumed}, {counted(nodes, 'node')}, {proof.seconds:.2f} s"),
        *(
            (f"check of {each.path.name}", _cost(each.certificate))
            for each in proof.claims
            if each.path and each.certificate
        ),
        ("not covered", NOT_COVERED if any(each.holds for each in proof.claims) else ""),
    ]
    return console.facts(facts)


def _claim(each: ClaimProgress) -> str:
    if each.certificate is not None:
        certificate = each.certificate
        leaves = f"by the rules or in the database ({certificate.reach})" if certificate.reach else "by the rules"
        strategy = ("a strategy of " if len(certificate.boards) else "") + _size(certificate)
        line = _line(certificate)
        return f"proved by {strategy}; lines end {leaves}" + (f": {line}" if line else "")
    if each.holds is False:
        return "false"
    resists = f"; resists: {' '.join(map(str, each.resists))}" if each.resists else ""
    return f"open, proof number {_number(each.proof)}, disproof number {_number(each.disproof)}{resists}"


def _number(number: float) -> str:
    """A proof or disproof number: two digits, or all before the point."""
    return f"{number:,.0f}" if 10 <= number < 1e6 else f"{number:.2g}"


def _size(certificate: Certificate) -> str:
    count = len(certificate.boards)
    return counted(count, "position") if count else "the root alone"


def _cost(certificate: Certificate) -> str:
    """What the check of a certificate takes, as it says."""
    needs, seconds = (certificate.provenance.get(name, "") for name in ("needs", "check_seconds"))
    return f"{seconds} s; needs {f'values of {needs}' if needs else 'no database'}" if seconds else ""


def _line(certificate: Certificate) -> str:
    """The strategy against the hardest defence, up to where the rules or the database end it."""
    return " ".join(map(str, hardest_line(certificate)))


def _shortfall(proof: Proof, out: Path | None) -> str:
    goal = "the value" if proof.goal == "value" else f"the goal, {proof.goal},"
    if proof.answered:
        return f"{goal} is false"
    if out is not None:
        return f"{goal} is still open; run the same command to resume, with more time (--tc) if you like"
    return f"{goal} is still open; more time (--tc) or a bigger database (--egdb) may decide it"


def _object(proof: Proof, settings: ProveSettings) -> dict[str, Any]:
    return {
        "settings": settings,
        "fen": proof.position.fen,
        "goal": proof.goal,
        "value": proof.value,
        "least": proof.least,
        "most": proof.most,
        "reached": proof.reached,
        "seconds": round(proof.seconds, 3),
        "resumed": proof.resumed,
        "claims": [
            {
                "claim": str(each.claim),
                "side": SIDE_NAMES[each.claim.side].lower(),
                "goal": each.claim.goal,
                "holds": each.holds,
                "proof": each.proof,
                "disproof": each.disproof,
                "searches": each.leaves,
                "nodes": each.nodes,
                "tree": each.tree,
                "positions": None if each.certificate is None else len(each.certificate.boards),
                "reach": None if each.certificate is None else each.certificate.reach,
                "file": None if each.path is None else str(each.path),
                "line": None if each.certificate is None else _line(each.certificate),
                "resists": " ".join(map(str, each.resists)),
            }
            for each in proof.claims
        ],
    }


def _refuse_others(settings: ProveSettings) -> None:
    """Refuse the settings of a proof beside --check."""
    if settings.fen:
        raise InvalidSettingError("--check FILE checks a certificate; leave the position out")
    for each in fields(settings):
        if each.name not in ("egdb", "egdb_memory") and getattr(settings, each.name) != each.default:
            raise InvalidSettingError(f"--check FILE checks a certificate; leave --{each.name} out")


def _check(path: Path, settings: ProveSettings, json: bool) -> None:
    """Check a certificate, and say what it proves."""
    certificate = read_certificate(path)
    database = load_database(settings.egdb, settings.egdb_memory)
    with console.progress("checking", len(certificate.boards), "positions") as progress:
        try:
            report = check_certificate(certificate, database, lambda count, _: progress.advance(count - progress.count))
        except InvalidCertificateError as error:
            raise InvalidCertificateError(f"{path} does not prove that {certificate.claim}: {error}") from None
    if json:
        console.emit_json({
            "fen": certificate.claim.root.fen, "claim": str(certificate.claim), "report": report,
            "line": _line(certificate),
        })  # fmt: skip
        return
    boards.show(certificate.claim.root)
    console.put(_checked(certificate, report))


def _checked(certificate: Certificate, report: CheckReport) -> str:
    made = [certificate.provenance.get(name, "") for name in ("command", "created")]
    made.insert(1, f"kr {certificate.provenance.get('kr', '?')}")
    lines = "" if report.longest_line is None else (
        f"{counted(report.longest_line, 'ply')} at most, {report.longest_quiet} of them without a capture or "
        "a man's move"
    )  # fmt: skip
    return console.facts(
        [
            ("position", certificate.claim.root.fen),
            ("proved", str(certificate.claim)),
            ("strategy", f"{counted(report.positions, 'position')}, {counted(report.replies, 'reply')}"),
            ("lines end", f"{report.rule_leaves:,} by the rules, {report.database_leaves:,} in the database"),
            ("database", f"{certificate.reach}, of which {', '.join(report.classes)}" if report.classes else ""),
            ("length", lines),
            ("hardest line", _line(certificate)),
            ("made by", visible(", ".join(filter(None, made)))),
            ("not covered", NOT_COVERED),
        ]
    )
