# cython: language_level=3
"""The rules of the game, for every compiled unit: each compiles them into itself, so that a call costs nothing.

What stands here is what a unit may use of them. In order, each part uses only what stands above it:

    types      Board, Move, MoveList; sizes and colours
    memory     allocate_pages, allocate_untouched: large memory on huge pages
    bitboard   sets of squares: pop_lsb, popcount, pext, pad32, rotated32, turned, ...
    random     splitmix64
    hash       board_from_bits, key_from_scratch
    moves      a move's parts and its 16-bit code; played: the position after one
    generate   has_capture, has_quiet, generate, generate_with_paths

Boards are bitboards of 35 bits (bitboard.pxi); `pad32` and `unpad` go between them and the 32 of the files and of Python.
"""

include "_rules/types.pxi"
include "_rules/memory.pxi"
include "_rules/bitboard.pxi"
include "_rules/random.pxi"
include "_rules/hash.pxi"
include "_rules/moves.pxi"
include "_rules/generate.pxi"
