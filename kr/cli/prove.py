"""`kr prove`."""

from pathlib import Path
from typing import Any

from kr.cli import boards, console, options
from kr.egdb.database import Database, find
from kr.errors import InvalidSettingError
from kr.notation import SIDE_NAMES
from kr.proofs.certificate import NOT_COVERED, Certificate, read_certificate
from kr.proofs.checking import CheckReport, check_certificate
from kr.proofs.lines import hardest_line
from kr.proofs.prover import ClaimProgress, Proof, ProveSettings, prove
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

    The engine looks for the way, and is not believed: a win is proved by a strategy whose every line ends by the rules
    or in the endgame database, a draw by two strategies, one with which each side does not lose. With a bigger database
    more is proved. The draws by rule (80 plies without progress, repetition) are not covered. A draw has two
    certificates, FILE-black and FILE-white. The exit code is 0 if the goal is proved, 1 if it is false or still open.

    Example:
        kr prove "W:W21,K30:B1,2"
        kr prove "B:WK1,29,30,32:B4,11,12,16,19,23,26,27,28,K31"
        kr prove "W:WK2,14,29:B1,5,8" --goal win --tc 5m --out proof.krproof
        kr prove --check proof.krproof
    """
    if check is not None:
        if settings.fen:
            raise InvalidSettingError("--check FILE checks a certificate; leave the position out")
        _check(check, settings.egdb, json)
        return
    if not settings.fen:
        raise InvalidSettingError("FEN: expected a position to prove something about, or --check FILE")
    limit = settings.tc.time
    with console.progress("proving", limit, "s") as progress:
        shown = 0.0

        def on_progress(proof: Proof) -> None:
            nonlocal shown
            now = proof.seconds if limit is None else min(proof.seconds, limit)
            progress.advance(now - shown, _standing(proof))
            shown = now

        proof = prove(settings, on_progress)
    for each in proof.claims:
        if each.path is not None and each.certificate is not None:
            console.wrote(each.path, counted(len(each.certificate.boards), "position"))
    if json:
        console.emit_json(_object(proof, settings))
    else:
        boards.show(proof.position)
        console.put(_report(proof))
    if not proof.reached:
        console.fail(_shortfall(proof))


def _standing(proof: Proof) -> str:
    """Progress in a few words: the claim that is nearest to its proof, and its numbers."""
    open_claims = [each for each in proof.claims if each.holds is None]
    leaves = sum(each.leaves for each in proof.claims)
    if not open_claims:
        return counted(leaves, "search")
    nearest = min(open_claims, key=lambda each: each.proof)
    return (
        f"{counted(leaves, 'search')}; {nearest.claim}: proof number {nearest.proof:.2g}, "
        f"disproof number {nearest.disproof:.2g}"
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
    told = proof.telling if proof.answered else [each for each in proof.claims if each.leaves or each.holds]
    claims = [(str(each.claim), _claim(each)) for each in told]
    nodes = sum(each.nodes for each in proof.claims)
    searches = counted(sum(each.leaves for each in proof.claims), "search")
    resumed = f", {proof.resumed:,} of them from an earlier run" if proof.resumed else ""
    facts = [
        ("position", f"{position.fen}, {side} to move"),
        ("value", verdict),
        *claims,
        ("searched", f"{searches}{resumed}, {counted(nodes, 'node')}, {proof.seconds:.2f} s"),
        ("not covered", NOT_COVERED if any(each.holds for each in proof.claims) else ""),
    ]
    return console.facts(facts)


def _claim(each: ClaimProgress) -> str:
    if each.certificate is not None:
        certificate = each.certificate
        leaves = f"lines end in the database ({certificate.reach})" if certificate.reach else "no database"
        count = len(certificate.boards)
        strategy = f"a strategy of {counted(count, 'position')}" if count else "the root alone"
        line = _line(certificate)
        return f"proved by {strategy}; {leaves}" + (f": {line}" if line else "")
    if each.holds is False:
        return "false"
    resists = f"; resists: {' '.join(map(str, each.resists))}" if each.resists else ""
    return f"open, proof number {each.proof:.2g}, disproof number {each.disproof:.2g}{resists}"


def _line(certificate: Certificate) -> str:
    """The strategy against the hardest defence, up to where the rules or the database end it."""
    return " ".join(map(str, hardest_line(certificate)))


def _shortfall(proof: Proof) -> str:
    if proof.answered:
        return f"the goal, {proof.goal}, is false"
    return f"the goal, {proof.goal}, is still open; more time (--tc) or a bigger database (--egdb) may decide it"


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


def _check(path: Path, egdb: str, json: bool) -> None:
    """Check a certificate, and say what it proves."""
    certificate = read_certificate(path)
    directory = find(egdb)
    database = None if directory is None else Database.open(directory)
    with console.progress("checking", len(certificate.boards), "positions") as progress:
        done = 0

        def on_progress(now: int, _: int) -> None:
            nonlocal done
            progress.advance(now - done)
            done = now

        report = check_certificate(certificate, database, on_progress)
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
            ("database", certificate.reach),
            ("length", lines),
            ("hardest line", _line(certificate)),
            ("made by", visible(", ".join(filter(None, made)))),
            ("not covered", NOT_COVERED),
        ]
    )
