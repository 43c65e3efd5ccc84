/* bcryptprimitives.dll, which wine before version 9 lacks, with the one function that programs in Rust ask it for. */

#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T size) {
    return SystemFunction036(bytes, (ULONG)size);
}
