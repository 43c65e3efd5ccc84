"""`kr egdb`."""

from collections.abc import Mapping
from pathlib import Path

from kr.cli import boards, console, options
from kr.egdb import slices, stats
from kr.egdb.build import BuildProgress, BuildSettings, build_database
from kr.egdb.database import Database, directory_for
from kr.egdb.forecast import ClassFiles, rough_size, rough_time, survey_database
from kr.egdb.pack_file import PiecesPacked
from kr.egdb.packing import PackSettings, UnpackSettings, pack_database, unpack_database
from kr.egdb.probe import probe
from kr.egdb.sample import Sample, SampleSettings, write_sample
from kr.egdb.sample_export import ExportSettings, export_sample
from kr.egdb.stats import Counts, DatabaseStats, LongestWin, PieceStats
from kr.egdb.verify import Verification, VerifySettings, verify_database
from kr.game.position import Position
from kr.notation import SIDE_NAMES
from kr.policy.chances_build import ChancesSettings, build_chances
from kr.settings import REQUIRED, option, same_option
from kr.units import counted, format_rate, format_value

DIRECTORY = same_option(VerifySettings, "dir")
LONG_BUILD_SECONDS = 600.0
"""Expected time from which on a build says what it takes before it begins."""


@options.command
def _build(settings: BuildSettings, json: bool = options.JSON) -> None:
    """Build a database from nothing; run the same command to resume.

    Memory and disk are estimated first. A file appears whole, or not at all. Classes need what they lead to, which is
    built first: 4v4 all of 4v3, 3v3 and so on.

    Example:
        kr egdb build --pieces 5 --distances 5
        kr egdb build --pieces 7 --dir /data/egdb --memory 16GB
        kr egdb build --pieces 8 --classes 4v4 --dir /data/egdb
    """
    with console.Stages() as stages:

        def on_progress(progress: BuildProgress) -> None:
            if progress.seconds == 0 and progress.expected_seconds >= LONG_BUILD_SECONDS:
                console.say(_expected(progress))
            count = progress.earlier + progress.solved
            pairs = f"{progress.pairs_done}/{progress.pairs} slice pairs"
            stages.show("building", count, progress.positions, "positions", pairs, progress.earlier)

        result = build_database(settings, on_progress)
    if json:
        console.emit_json({"settings": settings, **console.plain(result)})
        return
    now = result.positions - result.earlier
    rows = [(each["pair"], each["positions"], each["bytes"], f"{each['seconds']:.1f}") for each in result.written]
    if rows:
        console.put(console.table(["slices", "positions", "bytes", "seconds"], rows))
    console.put(
        console.fold(
            f"{result.directory}: {counted(result.positions, 'position')} {_extent(settings)}, "
            f"{now:,} of them now in {result.seconds:.1f} s "
            f"({format_rate(now / max(result.seconds, 1e-9))}/s), {counted(result.bytes, 'byte')} written",
            2,
        )
    )


def _extent(settings: BuildSettings) -> str:
    if settings.classes:
        return f"of {settings.classes} and what it leads to"
    return f"with up to {settings.pieces} pieces"


def _expected(progress: BuildProgress) -> str:
    """What a long build takes, by its estimate."""
    return (
        f"kr: {progress.directory}: {progress.positions - progress.earlier:,} positions to solve; about "
        f"{progress.expected_seconds / 3600:.1f} hours, {progress.disk / 1e9:.1f} GB of disk, at most "
        f"{progress.memory / 1e9:.1f} GB of memory"
    )


@options.command
def _info(dir: Path | None = DIRECTORY, json: bool = options.JSON) -> None:
    """Show which classes a database has, and what builds of more take.

    Classes are the pieces of the two sides. Times are estimates for all cores of this machine, from nothing: values
    that an earlier build kept (`--keep-values`) make them shorter.

    Example:
        kr egdb info
        kr egdb info --dir /data/egdb --json
    """
    info = survey_database(directory_for(dir))
    if json:
        builds = [{**console.plain(each), "command": each.command} for each in info.missing]
        console.emit_json({**console.plain(info), "missing": builds})
        return
    distances = f"up to {info.distance_pieces} pieces" if info.distance_pieces > 1 else "none"
    rows = [
        (each.name, f"{each.files} of {each.pairs}", each.bytes, each.distance_bytes or None, _state(each))
        for each in info.classes
    ]
    more = [
        (each.command, rough_time(each.seconds), rough_size(each.bytes), rough_size(each.disk)) for each in info.missing
    ]
    console.put(
        console.facts([
            ("database", f"{info.directory}{f' ({info.origin})' if info.origin else ''}"),
            ("values", info.reach or "none"), ("distances", distances), ("identity", info.signature),
        ])
    )  # fmt: skip
    console.put("\n" + console.table(["class", "files", "bytes", "distance bytes", ""], rows))
    if more:
        console.put("\n" + console.table(["builds of more", "time", "files", "disk meanwhile"], more))


def _state(each: ClassFiles) -> str:
    if each.usable:
        return ""
    return "incomplete" if each.files < each.pairs else "needs classes that are missing"


@options.command
def _verify(settings: VerifySettings, json: bool = options.JSON) -> None:
    """Prove a database correct: checksums, every position against its successors, all counts.

    --sample checks only some of the positions. Each problem is one line, and the exit code is then 1.

    Example:
        kr egdb verify
        kr egdb verify --dir /data/egdb --sample 0.001 --seed 7
        kr egdb verify --dir /data/egdb --classes 4v4 --sample 1e6
    """
    with console.Stages() as stages:
        result = verify_database(
            settings, lambda what, count, total: stages.show(f"checking {what}", count, total, what)
        )
    if json:
        console.emit_json({"settings": settings, "right": not result.wrong, **console.plain(result)})
    else:
        console.put(_verification(result))
    for problem in result.problems:
        console.say(f"kr: {problem}")
    if result.wrong:
        more = result.wrong - len(result.problems)
        hidden = f", {more} of them not shown" if more else ""
        console.fail(f"{result.directory}: {counted(result.wrong, 'problem')}{hidden}")


def _verification(result: Verification) -> str:
    rows = [
        (name, each.positions, *_numbers(each.counts), "yes" if each.distances else "no")
        for name, each in result.verified.items()
    ]
    columns = ["pieces", "positions", "wins", "losses", "draws", "distances"]
    how = "compared with their successors" if result.sampled else "proven"
    total = sum(each.positions for each in result.verified.values())
    lines = [
        console.fold(
            f"{result.directory}: {counted(result.files, 'file')}, {counted(result.bytes, 'byte')}, {result.reach}",
            2,
        ),
        *([console.table(columns, rows)] if rows else []),
        f"{counted(total, 'position')} {how if not result.wrong else 'checked'} in {result.seconds:.1f} s",
    ]
    if result.skipped:
        lines.append(f"only the checksums of {counted(len(result.skipped), 'other file')}")
    return "\n".join(lines)


def _numbers(counts: Counts | None) -> tuple[int | None, ...]:
    return (counts.wins, counts.losses, counts.draws) if counts else (None, None, None)


@options.command
def _stats(
    dir: Path | None = DIRECTORY,
    all_slices: bool = option(False, "Show each slice too.", name="slices"),
    json: bool = options.JSON,
) -> None:
    """Show the content of a database: wins, losses, draws, sizes and longest wins.

    Counts are of positions with Black to move, first with pieces of both sides, then of all placements: without pieces
    Black has lost, against none it has won. --json has every slice.

    Example:
        kr egdb stats
        kr egdb stats --dir /data/egdb --slices
    """
    content = stats.read_stats(directory_for(dir))
    if json:
        console.emit_json(_stats_object(content))
    else:
        console.put(_stats_text(content, all_slices))


def _stats_object(content: DatabaseStats) -> dict[str, object]:
    totals = [
        {
            "pieces": each.pieces,
            "complete": each.complete,
            "classes": each.classes,
            "idle_pairs": each.idle,
            "both_sides": _counts_object(each.both_sides),
            "all_placements": _counts_object(each.all_placements),
            "bytes": each.bytes,
            "bits_per_position": each.bits,
            "distance_bytes": each.distance_bytes,
            "longest_win": each.longest,
        }
        for each in content.totals
    ]
    pairs = [
        {
            "pair": slices.name(pair.pair),
            "bytes": pair.bytes,
            "bits_per_position": 8 * pair.bytes / pair.positions,
            "distance_bytes": pair.distance_bytes,
            "slices": [
                {"slice": slices.name(each.shape), **(_counts_object(each.counts) or {}), "longest_win": each.longest}
                for each in pair.slices
            ],
        }
        for pair in content.pairs
    ]
    return {"directory": content.directory, "totals": totals, "pairs": pairs}


def _counts_object(counts: Counts | None) -> dict[str, int] | None:
    if counts is None:
        return None
    return {"positions": counts.positions, "wins": counts.wins, "losses": counts.losses, "draws": counts.draws}


def _stats_text(content: DatabaseStats, all_slices: bool) -> str:
    parts = [str(content.directory)]
    if all_slices:
        rows = [
            (
                slices.name(each.shape),
                each.counts.positions,
                *_numbers(each.counts),
                *_longest(each.longest),
            )
            for pair in content.pairs
            for each in pair.slices
        ]
        columns = ["slice", "positions", "wins", "losses", "draws", "longest win", "position"]
        parts += ["A slice is named by Black's men and kings, White's men and kings:"]
        parts += [console.table(columns, rows), ""]
    rows = [
        (
            _part(each),
            each.both_sides.positions,
            *_numbers(each.both_sides),
            each.bytes,
            f"{each.bits:.3f}",
            each.distance_bytes or None,
            *_longest(each.longest),
        )
        for each in content.totals
    ]
    columns = [
        "pieces",
        "positions",
        "wins",
        "losses",
        "draws",
        "bytes",
        "bits/position",
        "distance bytes",
        "longest win",
        "position",
    ]
    parts += ["Both sides with pieces:", console.table(columns, rows)]
    whole = [(each.pieces, each.all_placements) for each in content.totals if each.all_placements]
    rows = [(count, counts.positions, *_numbers(counts)) for count, counts in whole]
    if rows:
        parts += ["", "All placements:", console.table(["pieces", "positions", "wins", "losses", "draws"], rows)]
    if idle := sum(each.idle for each in content.totals):
        why = "others of their class, or of one that captures lead to, are missing"
        parts += ["", console.fold(f"The files of {counted(idle, 'pair')} are of no use yet: {why}.")]
    return "\n".join(parts)


def _part(total: PieceStats) -> str:
    """Pieces, with what is there if not all is: "8 (4v4)", or "8 (part)" if that is no whole class."""
    return str(total.pieces) if total.complete else f"{total.pieces} ({', '.join(total.classes) or 'part'})"


def _longest(win: LongestWin | None) -> tuple[str, str]:
    return (counted(win.plies, "ply"), win.fen) if win else ("", "")


@options.command
def _probe(
    fen: str = option(REQUIRED, "Position.", argument=True, metavar="FEN"),
    dir: Path | None = DIRECTORY,
    json: bool = options.JSON,
) -> None:
    """Look up a position: its winner and distance, and the value of each move.

    Values are for the side to move; distances are plies to the end of the game under best play.

    Example:
        kr egdb probe "W:WK18:B1,K29" --json
    """
    position = Position.from_fen(fen)
    result = probe(Database.open(directory_for(dir)), position)
    if json:
        console.emit_json(result)
        return
    boards.show(position)
    side = SIDE_NAMES[position.side]
    console.put(console.fold(f"{result.fen}, {side} to move: {format_value(result.value, result.distance)}"))
    if result.moves:
        rows = [(each.move, format_value(each.value, each.distance)) for each in result.moves]
        console.put(console.table(["move", "value"], rows))


@options.command
def _sample(settings: SampleSettings, json: bool = options.JSON) -> None:
    """Write random positions and their values as HDF5, as training data.

    Black is to move in all of them. Each is drawn with the same probability, --fraction, or exactly --count are
    chosen; the choice and the shares depend on the settings alone. docs/reference/formats.md describes the file.

    Example:
        kr egdb sample --pieces 2-7 --fraction 0.001 --out positions.h5
        kr egdb sample --pieces 6 --fraction 0.1 --quiet --no-planes --out six.h5
        kr egdb sample --pieces 2-6,4v3 --count 1e6 --stratify value --out x.h5
    """
    with console.Stages() as stages:
        sample = write_sample(
            settings,
            lambda count, total: stages.show("sampling", count, total, "positions"),
            lambda count, total: stages.show("counting", count, total, "positions"),
        )
    console.wrote(sample.out, counted(sample.positions, "position"))
    if json:
        console.emit_json({"settings": settings, "positions": sample.positions, **console.plain(sample)})
    else:
        console.put(_sample_text(sample))


def _sample_text(sample: Sample) -> str:
    rows = [(name, each.positions, each.wins, each.losses, each.draws) for name, each in sample.shares.items()]
    return (
        console.table(["share", "positions", "wins", "losses", "draws"], rows)
        + f"\n{counted(sample.positions, 'position')}, {counted(sample.bytes, 'byte')}, checksum {sample.checksum}"
    )


@options.command
def _export(settings: ExportSettings, json: bool = options.JSON) -> None:
    """Write the positions of a sample as npz or Parquet, for other programs.

    Parquet needs pyarrow. docs/reference/formats.md describes both.

    Example:
        kr egdb export positions.h5 --out positions.parquet
        kr egdb export positions.h5 --share test --out test.npz
    """
    with console.Stages() as stages:
        export = export_sample(settings, lambda count, total: stages.show("exporting", count, total, "positions"))
    positions = sum(export.shares.values())
    console.wrote(export.out, counted(positions, "position"))
    if json:
        console.emit_json({"settings": settings, "positions": positions, **console.plain(export)})
    else:
        console.put(console.table(["share", "positions"], list(export.shares.items())))
        console.put(f"{counted(positions, 'position')}, {counted(export.bytes, 'byte')}")


@options.command
def _pack(settings: PackSettings, json: bool = options.JSON) -> None:
    """Write a database as one file, to give it to others; run the same command to resume.

    Every file of the database is checked first. The packed file appears whole, or not at all. The same database gives
    the same packed file, byte for byte; docs/reference/egdb-format.md describes it.

    Example:
        kr egdb pack --out all.kregdb
        kr egdb pack --dir /data/egdb --pieces 6 --no-distances --out six.kregdb
    """
    with console.Stages() as stages:
        result = pack_database(settings, lambda stage, count, total: stages.show(stage, count, total, "bytes"))
    console.wrote(result.out, counted(result.files, "file"))
    if json:
        console.emit_json({"settings": settings, **console.plain(result)})
        return
    console.put(_contents_table(result.contents))
    earlier = f", {result.earlier:,} of them by an earlier run" if result.earlier else ""
    console.put(
        console.fold(
            f"{result.directory}: {counted(result.files, 'file')} packed in {result.seconds:.1f} s, "
            f"{counted(result.bytes, 'byte')}{earlier}; checksum {result.checksum}",
            2,
        )
    )


@options.command
def _unpack(settings: UnpackSettings, json: bool = options.JSON) -> None:
    """Write the files of a packed database into a directory; run the same command to resume.

    Each file is checked before it gets its name; one that is there already is kept if it is the same. If the packed
    file is cut short or damaged, what is whole in it is unpacked, and the exit code is 1.

    Example:
        kr egdb unpack all.kregdb
        kr egdb unpack all.kregdb --dir /data/egdb
    """
    with console.Stages() as stages:
        result = unpack_database(settings, lambda stage, count, total: stages.show(stage, count, total, "bytes"))
    if json:
        console.emit_json({"settings": settings, **console.plain(result)})
    else:
        console.put(_contents_table(result.contents))
        kept = f", {counted(result.kept, 'file')} there before" if result.kept else ""
        console.put(
            console.fold(
                f"{result.directory}: {counted(result.written, 'file')} written, {counted(result.bytes, 'byte')} in "
                f"{result.seconds:.1f} s{kept}; checksum {result.checksum}",
                2,
            )
        )
    if result.problem:
        console.fail(result.problem)


@options.command
def _chances(settings: ChancesSettings, json: bool = options.JSON) -> None:
    """Build the chances that people lose drawn endings; run the same command to resume.

    For each draw the chance that people, who are to move, lose it if the other side plays best for that. People play
    by the shipped policy, calibrated; a mistake counts 2% less for each move that it comes later. kr plays by these
    chances with against=people. A file appears whole, or not at all.

    Example:
        kr egdb chances --pieces 5
        kr egdb chances --dir /data/egdb --egdb /data/egdb
    """
    with console.Stages() as stages:
        result = build_chances(
            settings,
            lambda progress: stages.show(
                "chances", progress.earlier + progress.done, progress.positions, "positions",
                f"{progress.pairs_done}/{progress.pairs} slice pairs", progress.earlier,
            ),
        )  # fmt: skip
    if json:
        console.emit_json({"settings": settings, **console.plain(result)})
        return
    rows = [
        (each["pair"], each["draws"], f"{each['chance']:.3f}", each["bytes"], f"{each['seconds']:.1f}")
        for each in result.written
    ]
    if rows:
        console.put(console.table(["slices", "draws", "mean chance", "bytes", "seconds"], rows))
    console.put(
        console.fold(
            f"{result.directory}: chances of draws with up to {settings.pieces} pieces, {result.draws:,} now in "
            f"{result.seconds:.1f} s, {counted(result.bytes, 'byte')} written",
            2,
        )
    )


def _contents_table(contents: Mapping[int, PiecesPacked]) -> str:
    """Files of a packed database by number of pieces."""
    rows = [
        (f"{count}{'' if each.complete else ' (part)'}", each.files, each.values, each.distances or None)
        for count, each in contents.items()
    ]
    return console.table(["pieces", "files", "bytes of values", "bytes of distances"], rows)


command = options.group(
    """Build, verify, look up, sample and pack exact values of all positions with few pieces.

    Example:
        kr egdb build --pieces 5
        kr egdb verify
        kr egdb probe "W:WK18:B1,K29"
    """,
    {
        "build": _build,
        "info": _info,
        "verify": _verify,
        "stats": _stats,
        "probe": _probe,
        "sample": _sample,
        "export": _export,
        "chances": _chances,
        "pack": _pack,
        "unpack": _unpack,
    },
)
