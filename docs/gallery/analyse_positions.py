"""A file of positions, a FEN a line, analysed into a table: best move, score, expected result, line.

python analyse_positions.py positions.fen --nodes 100000
"""

import argparse
import csv
import sys
from pathlib import Path

import kr

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("fens", type=Path)
parser.add_argument("--nodes", type=int, default=100_000, help="of each search")
parser.add_argument("--out", type=Path, default=Path("analysis.csv"))
options = parser.parse_args()

engine = kr.Engine()
with options.out.open("w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file)
    writer.writerow(["fen", "move", "score", "value", "expected", "depth", "line"])
    for number, line in enumerate(options.fens.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            position = kr.Position.from_fen(line)
        except kr.InvalidFenError as error:
            print(f"line {number}: {error}", file=sys.stderr)
            continue
        engine.new_game()  # so that a row does not depend on those before
        analysis = kr.analyze(engine, position, kr.Limits(nodes=options.nodes))
        if not analysis.lines:
            writer.writerow([position.fen, "", "", "loss", 0, 0, ""])
            continue
        best = analysis.lines[0]
        expected = round(analysis.chances.expected, 3)
        pv = " ".join(map(str, best.pv))
        writer.writerow([position.fen, best.move, best.score, analysis.value or "", expected, analysis.depth, pv])
print(options.out)
