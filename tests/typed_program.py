"""A user's program, listed for mypy in pyproject.toml: the type of everything in it must be known.

It is never run. The last line is misspelt on purpose: mypy complains about the `type: ignore` if there is no error.
"""

from pathlib import Path

import kr


def best(fen: str) -> tuple[str, float]:
    engine = kr.Engine("material", hash_mb=1, database=kr.load_database())
    found: kr.Analysis = kr.analyze(engine, kr.Position.from_fen(fen), kr.Limits(nodes=1000), multipv=2)
    line: kr.Line = found.lines[0]
    return str(line.move), line.chances.expected


def follow(engine: kr.Engine) -> int:
    with engine.start(kr.Position(), "10s") as search, kr.Analyzing(kr.Engine(), kr.Position()) as analyzing:
        depths = [info.depth for info in search]
        return depths[-1] + search.result(timeout=1.0).depth + sum(found.depth for found in analyzing)


def known(line: kr.Opening | kr.Problem) -> kr.ProbedPosition:
    task = kr.Task.of(line)
    return kr.probe(kr.Database.open("egdb"), kr.Board(task.position))


def games(path: Path) -> list[kr.Task]:
    return [kr.Task.at(game.end()) for game in kr.pdn.read_games(path, errors=[])]


class Mute:
    def tell(self, event: kr.play.Event) -> None:
        pass

    def ask(self, prompt: str, words: object, seconds: float | None) -> str:
        return "resign"


def against_kr() -> kr.Outcome | None:
    return kr.play.Play.prepare(kr.play.PlaySettings(level=kr.LEVELS[0].number), Mute()).run()


def wait(calls: list[kr.protocols.dxp.PlayedGame]) -> None:
    kr.protocols.dxp.listen(kr.protocols.dxp.ListenSettings(games=1, tc=kr.parse_limits("5m+3s")), calls.append)


def picture(problem: kr.Problem) -> str:
    moves: tuple[kr.Move, ...] = problem.keeping_moves
    game: kr.pdn.Game = kr.pdn.Game({"Event": problem.title}, problem, ["11-15"], notes=[kr.pdn.Comment(1, "best")])
    drawn: kr.svg.Svg = kr.svg.board(problem, last_move="11-15", arrows=[*moves, kr.svg.Arrow.parse("11-15"), "12-16"])
    return drawn + kr.explain(problem).svg() + kr.pdn.write_game(game)


openings: list[kr.Opening] = kr.openings.deck("3move")
player: kr.Player = kr.player_from_spec("shipped,level=3")
reply: kr.Reply = player.search(openings[0].position, kr.Limits(time=0.1), ())

kr.Postion  # type: ignore[attr-defined]  # noqa: B018
