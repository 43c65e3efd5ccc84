# Files of values that are mapped, and may be cut short by another program while they are.


cdef class MappedFile:
    """A mapped file that is watched: what another program cuts off reads as zeros, and does not end the process.

    content: the whole mapping, which stays open as long as this object. Raises MemoryError for too many of them.
    """
    cdef int number
    cdef const uint8_t[::1] content

    def __cinit__(self, const uint8_t[::1] content not None):
        self.content = content
        self.number = watch_mapping(&content[0], content.shape[0]) if content.shape[0] else -1
        if self.number < 0:
            raise MemoryError("too many mapped files")

    def __dealloc__(self):
        forget_mapping(self.number)

    @property
    def was_cut(self):
        """True if something was read that is gone."""
        return mapping_was_cut(self.number)
