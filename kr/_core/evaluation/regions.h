/* kr_weighted_sum: the entries of all regions for a position, by the shares of the phases. C, since Cython has no
   vectors: the indices of sixteen regions are one, and so are four entries that are multiplied at once. */

#pragma once

#include <assert.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Sixteen indices: one register with AVX-512, two with AVX2, four with SSE2 or NEON. */
typedef int32_t kr_lanes __attribute__((vector_size(64), may_alias));

/* Digits are vectors by row, pieces on it and half. The four squares from `bit` on, as an offset in bytes: */
#define KR_ON_ROW(set, bit) (((bit) < 6 ? (set) << (6 - (bit)) % 64 : (set) >> ((bit) - 6) % 64) & 15 * 64)
#define KR_DIGITS(row, bit) \
    (*(const kr_lanes*)((const char*)digits + (16 * 64 * (row) + KR_ON_ROW(set, bit)) * halves + 64 * half))

/* What a set of pieces adds to the indices. */
static inline __attribute__((always_inline)) void kr_add_digits(
        kr_lanes* sum, const kr_lanes* digits, uint64_t set, const int half, const int halves) {
    *sum += (KR_DIGITS(0, 0) + KR_DIGITS(1, 4) + KR_DIGITS(2, 9) + KR_DIGITS(3, 13))
            + (KR_DIGITS(4, 18) + KR_DIGITS(5, 22) + KR_DIGITS(6, 27) + KR_DIGITS(7, 31));
}

/* The entries' sum by the shares of the phases, one after the other: what machines without SSE2 do. */
static inline __attribute__((always_inline)) int kr_sum_singly(
        const uint32_t* entries, const int32_t* index, const int count, int opening, int ending) {
    int i, sum = 0;
    for (i = 0; i < count; i++) {
        const int16_t* entry = (const int16_t*)(entries + index[i]);
        sum += opening * entry[0] + ending * entry[1];
    }
    return sum;
}

static inline __attribute__((always_inline)) int kr_sum_entries(
        const uint32_t* entries, const int32_t* index, const int count, int opening, int ending) {
#if defined(__SSE2__)
    int i, sum;
    __m128i shares = _mm_set1_epi32(ending * 65536 + opening);
    __m128i sums = _mm_setzero_si128();
    for (i = 0; i < count; i += 4) {
        __m128i four = _mm_set_epi32(
                entries[index[i + 3]], entries[index[i + 2]], entries[index[i + 1]], entries[index[i]]);
        sums = _mm_add_epi32(sums, _mm_madd_epi16(shares, four));
    }
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4E));
    sum = _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xB1)));
    assert(sum == kr_sum_singly(entries, index, count, opening, ending));
    return sum;
#else
    return kr_sum_singly(entries, index, count, opening, ending);
#endif
}

static inline __attribute__((always_inline)) int kr_sum_of(const uint32_t* entries, const kr_lanes* first,
        const kr_lanes* digits, const int count, uint64_t own, uint64_t opponent, uint64_t kings, int opening,
        int ending) {
    union {
        kr_lanes lanes[2];
        int32_t numbers[32];
    } index;
    const int halves = (count + 15) / 16;
    int half;
#pragma GCC unroll 2
    for (half = 0; half < halves; half++) {
        /* an opponent's piece counts two, a king two more */
        kr_lanes sum = {0};
        kr_add_digits(&sum, digits, opponent, half, halves);
        if (kings) kr_add_digits(&sum, digits, kings, half, halves);
        sum += sum;
        kr_add_digits(&sum, digits, own, half, halves);
        index.lanes[half] = sum + first[half];
    }
    return kr_sum_entries(entries, index.numbers, count, opening, ending);
}

/* The regions' entries, by the shares of the phases. The number of entries is a constant in each branch; those beyond
   `count` are 0. The shipped layout takes 28. */
#define KR_WEIGHTED_SUM(name)                                                                                      \
    int name(const uint32_t* entries, const kr_lanes* first, const kr_lanes* digits, int count, uint64_t own,      \
            uint64_t opponent, uint64_t kings, int opening, int ending) {                                          \
        if (count <= 16) return kr_sum_of(entries, first, digits, 16, own, opponent, kings, opening, ending);      \
        if (count <= 24) return kr_sum_of(entries, first, digits, 24, own, opponent, kings, opening, ending);      \
        if (count <= 28) return kr_sum_of(entries, first, digits, 28, own, opponent, kings, opening, ending);      \
        return kr_sum_of(entries, first, digits, 32, own, opponent, kings, opening, ending);                       \
    }

/* A build for any x86 has the sum once for each size of registers, and takes the processor's when it is loaded: with
   SSE2 alone a static score takes a quarter longer. Elsewhere it is inlined. Not gcc's target_clones, which Windows and
   macOS can't load. */
#if defined(__x86_64__) && !defined(__AVX2__)
static KR_WEIGHTED_SUM(kr_weighted_sum_sse2)
__attribute__((target("avx2"))) static KR_WEIGHTED_SUM(kr_weighted_sum_avx2)
__attribute__((target("avx512f"))) static KR_WEIGHTED_SUM(kr_weighted_sum_avx512)

static int (*kr_weighted_sum)(const uint32_t*, const kr_lanes*, const kr_lanes*, int, uint64_t, uint64_t, uint64_t, int,
        int) = kr_weighted_sum_sse2;
__attribute__((constructor)) static void kr_choose_weighted_sum(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) kr_weighted_sum = kr_weighted_sum_avx512;
    else if (__builtin_cpu_supports("avx2")) kr_weighted_sum = kr_weighted_sum_avx2;
}
#else
static inline __attribute__((always_inline)) KR_WEIGHTED_SUM(kr_weighted_sum)
#endif
