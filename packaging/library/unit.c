/* The library from one source: what Cython made of kr/_engine.pyx, without the module that Python would import. Its
   entry point becomes a function that nothing calls, so that the compiler leaves out all that belongs to Python. */

#include <Python.h>
#undef PyMODINIT_FUNC
#define PyMODINIT_FUNC static PyObject*
#include "_engine.c"

#if defined(__wasm__)
/* Room for what a page gives: large files need no more than their size (kr/_rules/system.h), and leave it to others. */
KR_API void* kr_take_room(size_t bytes) {
    return kr_allocate_untouched(bytes);
}

KR_API void kr_give_room(void* room) {
    kr_free_pages(room);
}
#endif
