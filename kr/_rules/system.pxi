# What the systems do differently: large memory, locks, files by descriptor, mapped files, the clock.

cdef extern from "_rules/system.h" nogil:
    # aligned, and on huge pages if the system provides them: +6 to 9% nodes a second
    void* allocate_untouched "kr_allocate_untouched"(uint64_t bytes) noexcept    # not zeroed: takes no memory yet
    void* allocate_pages "kr_allocate_pages"(uint64_t bytes) noexcept            # zeroed
    void free_pages "kr_free_pages"(void* memory) noexcept                     # of both

    ctypedef struct Lock "kr_lock":
        pass
    int open_lock "kr_open_lock"(Lock* lock) noexcept                          # 0 unless it fails
    void close_lock "kr_close_lock"(Lock* lock) noexcept
    void acquire "kr_acquire"(Lock* lock) noexcept
    void release "kr_release"(Lock* lock) noexcept

    char PATH_SEPARATOR "KR_PATH_SEPARATOR"                                    # between paths in one text
    int open_file "kr_open_file"(const char* path) noexcept                    # to read it; -1 with errno if it fails
    bint no_such_file "kr_no_such_file"() noexcept                             # why it failed
    int64_t file_size "kr_file_size"(int descriptor) noexcept                  # -1 if it isn't a regular file
    int duplicate "kr_duplicate"(int descriptor) noexcept                      # -1 with errno if it fails
    void close_descriptor "kr_close"(int descriptor) noexcept
    # 0, or -1 if the file doesn't have these bytes (any more)
    int read_at "kr_read_at"(int descriptor, uint8_t* to, uint64_t size, uint64_t at) noexcept

    int watch_mapping "kr_watch_mapping"(const void* begin, uint64_t bytes) noexcept    # -1 if it fails
    void forget_mapping "kr_forget_mapping"(int number) noexcept
    bint mapping_was_cut "kr_mapping_was_cut"(int number) noexcept

    double seconds "kr_seconds"() noexcept                                     # of a clock that is never set
