# What has to be there before the first call: tables that the other units fill when Python imports them.

cdef extern from "_engine/prepare.h" nogil:
    Lock INDEXING "kr_indexing"          # held while the indices of slices are filled
    const char* KR_VERSION


cdef public void kr_prepare() noexcept nogil:
    """Called by the loader (prepare.h)."""
    open_lock(&INDEXING)
    fill_choose()
    fill_crc_table()
    fill_ranks()
    fill_logs()
