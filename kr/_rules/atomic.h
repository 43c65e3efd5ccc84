/* Numbers that a thread sets while others read them, by the builtin functions of gcc and clang: C11's need other types.
   Reads of the thread that sets them need none of it.

   Flags: what was written before one was set is seen by whoever has seen it. The others are in no order. */

#pragma once

#include <stdint.h>

static inline int kr_load_flag(const int* flag) {
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static inline void kr_store_flag(int* flag, int value) {
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static inline int kr_load_int(const int* at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline void kr_store_int(int* at, int value) {
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

static inline uint64_t kr_load_count(const uint64_t* at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline void kr_store_count(uint64_t* at, uint64_t value) {
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

static inline double kr_load_double(const double* at) {
    double value;
    __atomic_load(at, &value, __ATOMIC_RELAXED);
    return value;
}

static inline void kr_store_double(double* at, double value) {
    __atomic_store(at, &value, __ATOMIC_RELAXED);
}
