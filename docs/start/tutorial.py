# %% [markdown]
# # kr in half an hour
#
# This tutorial analyses a game of the first world championship match, solves the most famous of all problems, and
# draws boards. It needs kr and nothing else: neither a network nor other files. The script `docs/start/tutorial.py` and
# the notebook `docs/start/tutorial.ipynb` are the same; the tests run them. `docs/reference/api/` describes
# everything used here.
#
# All searches are limited by nodes, not by time, so that they find the same on every machine.

# %%
from itertools import pairwise
from pathlib import Path

import kr

# %% [markdown]
# ## A position
#
# Squares are numbered 1 to 32 from Black's side. Black moves first and up the numbers. A position never changes:
# playing a move gives another one.

# %%
start = kr.Position()
print(start.diagram())
print(*start.legal_moves())

# %%
position = start.play("11-15").play("22-18")
print(position.fen)
print(*position.legal_moves())

# %% [markdown]
# Captures are compulsory: Black has only one move. A move that is not legal is an error that names those that are.

# %%
try:
    position.play("8-11")
except kr.IllegalMoveError as error:
    print(error)

# %% [markdown]
# ## A game
#
# Edinburgh 1847, for the championship of the world: Andrew Anderson against James Wyllie, the "Herd Laddie". In PDN
# `0-1` says that White won, because Black, who begins, is the first player.

# %%
PDN = """
[Event "World championship, game 20"]
[Site "Edinburgh"]
[Date "1847.??.??"]
[Black "Anderson, Andrew"]
[White "Wyllie, James"]
[Result "0-1"]

1. 11-15 22-17 2. 8-11 23-19 3. 9-13 17-14 4. 10x17 21x14 5. 15-18 26-23
6. 13-17 19-15 7. 4-8 24-19 8. 6-9 28-24 9. 9-13 25-21 10. 2-6 32-28
11. 6-10 15x6 12. 1x10 24-20 13. 17-22 30-25 14. 10x17 21x14 15. 13-17 25-21
16. 12-16 19x12 17. 11-15 23-19 18. 15x24 28x19 0-1
"""
game = kr.pdn.read_game(PDN)
assert game is not None
print(game.headers["Black"], "v", game.headers["White"], game.result, "after", len(game.moves), "moves")

# %% [markdown]
# `game` is a tree in the manner of python-chess: `mainline()` goes along the line that was played, node by node.

# %%
for child in list(game.mainline())[:4]:
    print(child.ply(), child.move, child.position.fen)

# %% [markdown]
# ## Where it was lost
#
# The engine looks at every position of the game. A *score* is in centi-men (100 is a man), for the side to move. What
# matters is what it promises: the *expected result*, where a win counts 1 and a draw 1/2. The move that gave most of
# it away is the one to look at. `Task.at(node)` is a position with the game before it, for draws by repetition.

# %%
engine = kr.Engine()
limits = kr.Limits(nodes=60_000)

nodes: list[kr.pdn.GameNode] = [game, *game.mainline()]
expected = []
for node in nodes:
    lines = kr.analyze(engine, kr.Task.at(node), limits).lines
    expected.append(lines[0].chances.expected if lines else 0.0)  # without a legal move the game is lost

lost = [before - (1 - after) for before, after in pairwise(expected)]
ply = lost.index(max(lost))
before, after = nodes[ply], nodes[ply + 1]
move = game.moves[ply]
print(f"{ply // 2 + 1}. {move} by {before.turn.name.title()} gave away {lost[ply]:.1f} points")

# %% [markdown]
# What should have been played? With `multipv` the best few moves have a line each.

# %%
deep = kr.Limits(nodes=300_000)
for line in kr.analyze(engine, kr.Task.at(before), deep, multipv=3).lines:
    print(f"{line.move!s:6} {line.score:+5d}  expected {line.chances.expected:.2f}  {' '.join(map(str, line.pv[:6]))}")

# %% [markdown]
# And how is the move punished?

# %%
refutation = kr.analyze(engine, kr.Task.at(after), deep).lines[0]
print(*refutation.pv[:7])

# %% [markdown]
# ## A board
#
# In a notebook a position shows itself. `kr.svg.board` draws one as you want it, here with the losing move and the
# answer to it as an arrow. The text that it returns is a whole SVG file.

# %%
board = kr.svg.board(after.position, last_move=move, arrows=[refutation.move], size=360)
Path("turning-point.svg").write_text(board)
board

# %% [markdown]
# ## What the engine sees in it
#
# The evaluation is a sum of table entries, learned from games. `explain` says which piece has which share of it: blue
# helps Black, orange White.

# %%
explained = kr.explain(before.position)
print(f"{explained.score:+d} centi-men, from {len(explained.regions)} regions of the board")
explained

# %% [markdown]
# Such a static score sees nothing of what is to come: that is what the search is for.
#
# ## A problem
#
# In the First Position White has two kings against a king and a man, and wins. It is one of the built-in problems.

# %%
[problem] = kr.problems.load_problems("first-position")
print(problem.position.fen, "published:", problem.result)
problem.position

# %%
solution = kr.solve(problem, engine, deep)
print(solution.verdict, "proved" if solution.proved else "", "by", solution.move)
print("as published" if solution.agrees else solution.because)

# %% [markdown]
# The endgame database that comes with kr knows every position with up to 5 pieces. Four moves keep the win here, but
# they are not equally good: the distance counts the moves of both sides to the very end.

# %%
database = kr.load_database()
assert database is not None
for probed in kr.probe(database, problem.position).moves:
    print(probed.move, probed.value, probed.distance or "")

# %% [markdown]
# ## A game against a level
#
# Levels from 1, a beginner, to 10, full strength, are players like any other. `kr play` plays against them in the
# terminal; here two of them play one game from an opening of the three-move ballot.

# %%
opening = kr.openings.deck("3move")[0]
players = [kr.player_from_spec(f"shipped,level={level},seed=1,hash=1MB") for level in (2, 5)]
played = kr.pdn.Game({"Event": opening.name, "Black": "level 2", "White": "level 5"}, opening.position)
end: kr.pdn.GameNode = played
while not end.position.is_over and end.ply() < 120:
    task = kr.Task.at(end)
    player = players[end.turn]
    end = end.add_variation(player.search(task.position, limits, task.history).move)
if end.position.is_over:
    played.result = "0-1" if end.turn == kr.Side.BLACK else "1-0"
print(played)

# %% [markdown]
# ## Further
#
# The same from the command line: `kr analyze`, `kr explain`, `kr solve-problem`, `kr egdb probe`, `kr play`. `kr pdn`
# reads whole collections, `kr dxp` and `kr hub` play against other programs. The reference is `docs/reference/api/`.
