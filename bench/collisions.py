"""Hash table collisions: how often the entry of another position is taken for the one looked up. About a minute.

    CFLAGS=-DKR_KEY_BITS=34 python setup.py -q build --build-lib build/collisions --build-temp build/collisions-objects
    PYTHONPATH=build/collisions python -P bench/collisions.py [--searches 50] [--nodes 1M] [--hash 64MB]

Entries are told apart by the whole key of 64 bits, and collisions are then too rare to be observed. A build that
compares fewer bits has them, and recognises each by the other bits; each bit less doubles their number. The script also
tests that collisions do no harm: every move of every line is checked to be legal. Prints one JSON object.
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
    """Search and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--searches", type=parse_count, default=50, help="11-man ballots to search (default: 50)")
    parser.add_argument("--nodes", type=parse_count, default=1_000_000, help="nodes of each search (default: 1M)")
    parser.add_argument("--hash", type=parse_size, default=64 << 20, help="hash table of all searches (default: 64MB)")
    options = parser.parse_args()
    engine = Engine(hash_mb=options.hash / (1 << 20), database="none")
    nodes = moves = 0
    for opening in random.Random(1).sample(deck("11man"), options.searches):
        found = engine.search(opening.position, Limits(nodes=options.nodes))
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
