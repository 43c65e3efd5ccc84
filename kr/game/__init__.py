"""A game of draughts: positions and moves, the board as it is played, perft."""
