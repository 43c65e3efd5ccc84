/* The library from one source: what Cython made of kr/_engine.pyx, without the module that Python would import. Its
   entry point becomes a function that nothing calls, so that the compiler leaves out all that belongs to Python. */

#include <Python.h>
#undef PyMODINIT_FUNC
#define PyMODINIT_FUNC static PyObject*
#include "_engine.c"
