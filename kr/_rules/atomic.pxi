# Numbers that a thread sets while others read them.

cdef extern from "_rules/atomic.h" nogil:
    # what was written before a flag was set is seen by whoever has seen it
    int load_flag "kr_load_flag"(const int* flag) noexcept
    void store_flag "kr_store_flag"(int* flag, int value) noexcept

    # in no order
    int load_int "kr_load_int"(const int* at) noexcept
    void store_int "kr_store_int"(int* at, int value) noexcept
    u64 load_count "kr_load_count"(const u64* at) noexcept
    void store_count "kr_store_count"(u64* at, u64 value) noexcept
    double load_double "kr_load_double"(const double* at) noexcept
    void store_double "kr_store_double"(double* at, double value) noexcept
