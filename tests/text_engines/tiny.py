"""An engine with a protocol of its own, as docs/reference/text-engines.md shows it. It plays 9-13 at the start and
22-18 elsewhere, or has the fault that its first argument names. Plain Python without kr, so that it starts at once.
"""

import sys

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
FAULT = sys.argv[1] if len(sys.argv) > 1 else ""


def say(line):
    print(line, flush=True)


fen = ""
for text in sys.stdin:
    word, _, rest = text.strip().partition(" ")
    if word == "hello":
        say("tiny 1.2")
        say("all set")
    elif word == "setup":
        fen = rest
    elif word == "think":
        if FAULT == "silent":
            continue
        at_start = fen == START
        say("ply 3 eval -0.04 after 120 visits")
        say("ply 5 eval 0.12 after 3450 visits")
        if FAULT == "board":
            say("board bbbbbbbbebbbbeeeeeeewwwwwwwwwwww")
        else:
            say(f"plays {FAULT or ('9-13' if at_start else '22-18')}")
    elif word == "halt":
        say("plays 9-13")
    elif word == "bye":
        break
