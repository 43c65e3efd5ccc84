/* kr_splitmix64: the next pseudo-random number (Steele, Lea and Flood 2014). C, since hash.h needs it when a unit is
   loaded. */

#pragma once

#include <stdint.h>

static inline uint64_t kr_splitmix64(uint64_t* state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}
