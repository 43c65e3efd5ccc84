"""`kr games`."""

from pathlib import Path

from kr import storage
from kr.cli import console, games_import, games_tally, options
from kr.learn import games
from kr.learn.summary import summarize
from kr.settings import REQUIRED, option
from kr.units import counted


@options.command
def _summary(
    directory: Path = option(REQUIRED, "Run directory of games, or a folder of them.", argument=True, metavar="DIR"),
    pdn: Path | None = option(None, "Write the games as PDN to this file.", metavar="FILE"),
    json: bool = options.JSON,
) -> None:
    """Summarise a run directory: counts, results by opening and phase, lengths, size; export as PDN.

    `kr selfplay` makes such directories; `kr games import` makes them of recorded games.

    Example:
        kr games selfplay/games --pdn games.pdn
        kr games import games.pdn --out people
    """
    if pdn is not None:
        storage.check_output(pdn)
    paths = [path for run in games.run_directories([directory]) for path in games.shard_paths(run)]
    with console.progress("reading", len(paths), "shards") as progress:
        summary = summarize(paths, on_shard=lambda: progress.advance(1))
    if pdn is not None:
        with (
            console.progress("writing PDN", summary.games, "games") as progress,
            storage.atomic_path(pdn) as path,
            path.open("w", encoding="utf-8", newline="\n") as file,
        ):
            for shard in map(games.read_shard, paths):
                for record in games.stored_games(shard):
                    file.write(games.game_pdn(record, shard.attrs))
                    progress.advance(1)
        console.wrote(pdn, counted(summary.games, "game"))
    if json:
        console.emit_json({"directory": directory, "summary": summary, "bytes_per_move": summary.bytes_per_move})
        return
    total = max(summary.games, 1)
    console.put(
        console.fold(
            f"{counted(summary.games, 'game')} in {counted(summary.shards, 'shard')}; "
            f"{counted(summary.plies, 'move')}, {summary.searched:,} of them searched"
            + (f"; {counted(summary.leaves, 'leaf')}" if summary.leaves else ""),
            2,
        )
    )
    console.put(f"{summary.plies / total:.1f} plies a game, from {summary.shortest} to {summary.longest}")
    console.put(f"{summary.bytes_per_move:.2f} bytes a move, {counted(summary.bytes, 'byte')} in all")
    console.put(f"made at {summary.games_per_second:.1f} games/s" if summary.games_per_second else "speed unknown")
    rows = [("all", *_shares(summary.black_wins, summary.draws, summary.white_wins))]
    rows += [(name, *_shares(*counts)) for name, counts in summary.decks.items()]
    console.put("\n" + console.table(["openings", "games", "Black wins %", "drawn %", "White wins %"], rows))
    ends = [(name, n, f"{100 * n / total:.1f}") for name, n in summary.reasons.items()]
    console.put("\n" + console.table(["ended by", "games", "%"], ends))
    console.put(
        "\n"
        + console.table(
            ["phase", "positions", "Black wins %", "drawn %", "White wins %"],
            [(f"{pieces} pieces, {kings}", *_shares(*counts)) for (pieces, kings), counts in summary.phases.items()],
        )
    )


def _shares(black: int, drawn: int, white: int) -> tuple[int, str, str, str]:
    total = black + drawn + white
    black_share, drawn_share, white_share = (f"{100 * n / max(total, 1):.1f}" for n in (black, drawn, white))
    return total, black_share, drawn_share, white_share


command = options.command_group(_summary, {"import": games_import.command, "tally": games_tally.command})
