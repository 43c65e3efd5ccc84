/* kr_pext and kr_pdep: bits of a word gathered and scattered; and sets of squares that are constants for the compiler.
   C, since the instructions depend on the machine, and Cython has no constants of 64 bits. */

#pragma once

#include <assert.h>
#include <stdint.h>

#if defined(__BMI2__)
#include <immintrin.h>
#define kr_pext_fast(x, mask) _pext_u64((x), (mask))
#define kr_pdep_fast(x, mask) _pdep_u64((x), (mask))
#define kr_has_bmi2 1
#elif defined(__x86_64__)
/* A portable x86 build asks the processor when it is loaded: without pext, building databases takes twice as long.
   The compiler's intrinsics need a build for BMI2 only, hence the assembler. */
static int kr_has_bmi2;
__attribute__((constructor)) static void kr_find_bmi2(void) {
    __builtin_cpu_init();
    kr_has_bmi2 = __builtin_cpu_supports("bmi2");
}

static inline uint64_t kr_pext_fast(uint64_t x, uint64_t mask) {
    uint64_t result;
    __asm__("pextq %2, %1, %0" : "=r"(result) : "r"(x), "rm"(mask));
    return result;
}

static inline uint64_t kr_pdep_fast(uint64_t x, uint64_t mask) {
    uint64_t result;
    __asm__("pdepq %2, %1, %0" : "=r"(result) : "r"(x), "rm"(mask));
    return result;
}
#else
#define kr_pext_fast(x, mask) 0
#define kr_pdep_fast(x, mask) 0
#define kr_has_bmi2 0
#endif

/* Run by run, since most masks here are a few runs of adjacent bits. */
static inline uint64_t kr_pext_plain(uint64_t x, uint64_t mask) {
    uint64_t result = 0;
    int filled = 0;
    while (mask) {
        uint64_t lowest = mask & (0 - mask);
        uint64_t run = mask & ~(mask + lowest);
        result |= ((x & run) >> __builtin_ctzll(lowest)) << filled;
        filled += __builtin_popcountll(run);
        mask ^= run;
    }
    return result;
}

static inline uint64_t kr_pdep_plain(uint64_t x, uint64_t mask) {
    uint64_t result = 0;
    while (x) {
        uint64_t lowest = mask & (0 - mask);
        if (x & 1) result |= lowest;
        mask ^= lowest;
        x >>= 1;
    }
    return result;
}

static inline uint64_t kr_pext(uint64_t x, uint64_t mask) {
    uint64_t result = kr_has_bmi2 ? kr_pext_fast(x, mask) : kr_pext_plain(x, mask);
    assert(result == kr_pext_plain(x, mask));
    return result;
}

static inline uint64_t kr_pdep(uint64_t x, uint64_t mask) {
    uint64_t result = kr_has_bmi2 ? kr_pdep_fast(x, mask) : kr_pdep_plain(x, mask);
    assert(result == kr_pdep_plain(x, mask));
    return result;
}

/* macros, so that they are constants for the compiler */
#define SQUARES 0x7FBFDFEFFULL
#define BLACK_KING_ROW 0x780000000ULL
#define WHITE_KING_ROW 0xFULL
/* rows by the bits of their number */
#define ODD_ROWS 0x783C1E0F0ULL
#define ROWS_2367 0x7F801FE00ULL
#define ROWS_4567 0x7FBFC0000ULL
