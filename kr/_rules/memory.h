/* kr_allocate_untouched and kr_allocate_pages: large aligned memory, on huge pages if the system provides them. C, since
   the preprocessor tells whether it does. */

#pragma once

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

static void* kr_allocate_untouched(size_t bytes) {
    void* memory = NULL;
    size_t page = (size_t)1 << 21;
    size_t alignment = bytes >= page ? page : 64;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (posix_memalign(&memory, alignment, bytes ? bytes : alignment)) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

static void* kr_allocate_pages(size_t bytes) {
    void* memory = kr_allocate_untouched(bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}
