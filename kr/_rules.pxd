# cython: language_level=3
"""Rules of the game, for all compiled units: each unit compiles them into itself, so that calls are inlined.

The parts in order; each uses only the parts above it:

    types      Board, Move, MoveList; sizes and colours
    system     allocate_pages, read_at, seconds, ...: memory, locks, files, the clock, as each system has them
    atomic     load_flag, store_count, ...: numbers that a thread sets while others read them
    bitboard   sets of squares: pop_lsb, popcount, pext, pad32, turned, ...
    random     splitmix64
    hash       board_from_bits, key_from_scratch
    moves      the parts of a move and its 16-bit code; played: the position after a move
    generate   has_capture, has_quiet, generate, generate_with_paths

Boards are bitboards of 35 bits (bitboard.pxi); `pad32` and `unpad` convert from and to the 32 bits of files and Python.
"""

include "_rules/types.pxi"
include "_rules/system.pxi"
include "_rules/atomic.pxi"
include "_rules/bitboard.pxi"
include "_rules/random.pxi"
include "_rules/hash.pxi"
include "_rules/moves.pxi"
include "_rules/generate.pxi"
