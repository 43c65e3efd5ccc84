# Large aligned memory, on huge pages if the system provides them: +6 to 9% nodes a second.

cdef extern from "_rules/memory.h":
    void* allocate_untouched "kr_allocate_untouched"(size_t bytes) noexcept nogil    # not zeroed: takes no memory yet
    void* allocate_pages "kr_allocate_pages"(size_t bytes) noexcept nogil            # zeroed
