# Pseudo-random numbers: SplitMix64.

cdef extern from "_rules/random.h":
    u64 splitmix64 "kr_splitmix64"(u64* state) noexcept nogil     # the next number
