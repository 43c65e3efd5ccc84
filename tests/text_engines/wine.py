"""In place of wine, for tests of CheckerBoard's DLLs: speaks as packaging/checkerboard/engine_host.c does. Its first
argument is the program that it would start, the second the DLL. It plays 9-13 at the start and 22-18 elsewhere.
"""

import os
import sys

host, dll = sys.argv[1:]
assert os.path.isfile(host)
assert os.path.isfile(dll)
for text in sys.stdin:
    word, _, rest = text.strip().partition(" ")
    if word == "hello":
        print(f"ready Fake {os.environ['WINEDEBUG']}", flush=True)
    elif word == "go":
        board = list(rest[:32])
        origin, target = (9, 13) if rest[-1] == "B" else (22, 18)
        board[target - 1], board[origin - 1] = board[origin - 1], "e"
        print(f"status depth 7\nboard {''.join(board)}", flush=True)
    elif word == "bye":
        break
