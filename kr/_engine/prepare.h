/* kr_prepare runs when the library is loaded. C, since Cython has no attributes of functions. The parts of _rules come
   before this. */

#pragma once

#ifndef KR_VERSION
#error "KR_VERSION is the version of kr, as a text"
#endif

static kr_lock kr_indexing;

void kr_prepare(void);

/* before the constructors of the program's own objects */
__attribute__((constructor(101))) static void kr_prepare_library(void) {
    kr_prepare();
}
