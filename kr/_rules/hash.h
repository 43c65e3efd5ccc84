/* kr_zobrist and kr_zobrist_side: the random numbers that make the hash of a position. C, since they are filled when a
   unit is loaded, and a .pxd has no code that runs then. Every unit has its own, which saves an indirection. */

#pragma once

#include <stdint.h>

#include "random.h"

static uint64_t kr_zobrist[4][35];
static uint64_t kr_zobrist_side;

__attribute__((constructor)) static void kr_fill_zobrist(void) {
    uint64_t state = 0x6B72;
    int piece, bit;
    for (piece = 0; piece < 4; piece++)
        for (bit = 0; bit < 35; bit++) kr_zobrist[piece][bit] = kr_splitmix64(&state);
    kr_zobrist_side = kr_splitmix64(&state);
}
