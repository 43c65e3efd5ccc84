/* Makes `cdef inline` inline always: the side to move is a constant in the generators only if every layer above them is
   inlined, and by itself gcc gives up on the larger ones. C, since it redefines a macro of Cython. */

#pragma once

#undef CYTHON_INLINE
#if defined(__GNUC__)
#define CYTHON_INLINE inline __attribute__((always_inline))
#else
#define CYTHON_INLINE inline
#endif
