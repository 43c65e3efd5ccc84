"""A Hub engine in one page, which kr and other programs play against: it takes the most it can, else moves at random.

kr match shipped,level=1 "hub:python hub_bot.py" --games 10 --tc nodes=500
"""

import random
import re
import sys

import kr


def position_of(line):
    """The position of a line `pos pos=Bbbb... moves="11-15 22-18"`, as a Board with its game."""
    found = re.search(r"pos=([WB][wbWBe]{32})", line)
    board = kr.Board()
    if found:
        side, squares = kr.Side.BLACK if found[1][0] == "B" else kr.Side.WHITE, found[1][1:]
        sets = [sum(1 << n for n, piece in enumerate(squares) if piece in pieces) for pieces in ("bB", "wW", "BW")]
        board = kr.Board(kr.Position(*sets, side))
    moves = re.search(r'moves="?([^"]*)"?', line)
    for move in moves[1].split() if moves else ():
        board.play(captured_by(board, move))
    return board


def captured_by(board, text):
    """The legal move of a Hub text: origin, target, and every captured square (15x22x18)."""
    numbers = [int(number) - 1 for number in re.split("[-x]", text)]
    taken = sum(1 << square for square in numbers[2:])
    return board.position.find_move(numbers[0], numbers[1], taken)


def text_of(move):
    """A move as Hub writes it."""
    if not move.is_capture:
        return str(move)
    squares = [move.origin, move.target, *(square for square in range(32) if move.captured >> square & 1)]
    return "x".join(str(square + 1) for square in squares)


board = kr.Board()
for line in sys.stdin:
    match line.split()[:1]:
        case ["hub"]:
            print("id name=greedy version=1 author=you\nwait", flush=True)
        case ["init"]:
            print("ready", flush=True)
        case ["ping"]:
            print("pong", flush=True)
        case ["pos"]:
            board = position_of(line)
        case ["go"]:
            choices = board.legal_moves()
            most = max(move.captured.bit_count() for move in choices)
            move = random.choice([each for each in choices if each.captured.bit_count() == most])
            print(f"info depth=1 score=0.00 nodes={len(choices)}\ndone move={text_of(move)}", flush=True)
        case ["quit"]:
            break
