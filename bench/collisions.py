"""Table collisions, counted: entries taken for the position looked up that were stored for another one.

    CFLAGS=-DKR_KEY_BITS=34 python setup.py -q build --build-lib build/collisions --build-temp build/collisions-objects
    PYTHONPATH=build/collisions python -P bench/collisions.py [--searches 50] [--nodes 1M] [--hash 64MB]

Entries are told apart by the whole key of 64 bits, and collisions are then too rare to be met. A build that compares
fewer bits meets them, and knows each by the rest of the key; each bit less doubles them. What such a build goes through
is also the test that they do no harm: every move of every line is checked to be legal.
"""

from __future__ import annotations

import argparse
import json
import random

from kr import _core
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.openings.decks import deck
from kr.units import parse_count, parse_size

KEY_BITS = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--searches", type=parse_count, default=50, help="of 11-man ballots, one table for all")
    parser.add_argument("--nodes", type=parse_count, default=1_000_000, help="of each search")
    parser.add_argument("--hash", type=parse_size, default=64 << 20)
    arguments = parser.parse_args()
    engine = Engine(hash_mb=arguments.hash / (1 << 20), database="none")
    nodes = moves = 0
    for opening in random.Random(1).sample(deck("11man"), arguments.searches):
        found = engine.search(opening.position, Limits(nodes=arguments.nodes))
        nodes += found.nodes
        position = opening.position
        for move in found.pv:
            position = position.play(move)
            moves += 1
    bits, lookups, collisions = _core.table_collisions()
    share = collisions / max(lookups, 1)
    print(
        json.dumps(
            {
                "key_bits": bits,
                "nodes": nodes,
                "legal_moves_in_lines": moves,
                "lookups": lookups,
                "collisions": collisions,
                "share": share,
                "share_with_64_bits": share / 2 ** (KEY_BITS - bits),
            }
        )
    )


if __name__ == "__main__":
    main()
