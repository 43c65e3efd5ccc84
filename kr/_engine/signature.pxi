# The signature of the search, by which a build is checked.

cdef extern from "kr_bench.h" nogil:
    # made of the bench's positions by packaging/library/compile_library.py
    enum:
        KR_BENCH_DEPTH
        KR_BENCH_HASH
        KR_BENCH_COUNT
    const kr_position KR_BENCH[]


cdef public u64 kr_signature(const kr_tables* tables) noexcept nogil:
    cdef kr_engine* engine
    cdef kr_limits limits
    cdef kr_result result
    cdef u64 nodes = 0
    cdef int i
    if kr_open_engine(&engine, tables, NULL, KR_BENCH_HASH):
        return 0
    memset(&limits, 0, sizeof(kr_limits))
    limits.depth = KR_BENCH_DEPTH
    for i in range(KR_BENCH_COUNT):
        kr_clear(engine)
        kr_set_game(engine, KR_BENCH + i, 1)
        kr_search(engine, &limits, NULL, NULL, &result)
        nodes += result.nodes
    kr_close_engine(engine)
    return nodes
