# Pseudo-random numbers: SplitMix64 (Steele, Lea and Flood 2014).

cdef extern from *:
    """
    #include <stdint.h>
    static inline uint64_t kr_splitmix64(uint64_t* state) {
        uint64_t z = *state += 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
    """
    u64 splitmix64 "kr_splitmix64"(u64* state) noexcept nogil     # the next number
