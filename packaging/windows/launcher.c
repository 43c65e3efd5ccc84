/* python.exe: the interpreter of the Python DLL beside it, as in Python's own installer. */

#include <wchar.h>

__declspec(dllimport) int Py_Main(int argc, wchar_t** argv);

int wmain(int argc, wchar_t** argv) {
    return Py_Main(argc, argv);
}
