/* kr.exe of the folder for Windows: runs kr by the Python in the folder `runtime` beside it. It runs in this process, so
 * that a program that starts or ends it has to do with one process only. */

#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

#define LONGEST 32768

typedef int python_main(int argc, wchar_t** argv);

/* patterns such as *.pdn are kr's to expand */
int _dowildcard = 0;

static int fail(const wchar_t* dll) {
    static wchar_t text[LONGEST + 256];
    DWORD error = GetLastError(), process;
    swprintf(text, LONGEST + 256,
             L"%ls could not be loaded (error %lu). Unpack the whole zip file, and start kr.exe in the folder that "
             L"this makes.",
             dll, error);
    /* a window that was opened for this process closes with it, before the line could be read */
    if (GetConsoleProcessList(&process, 1) == 1)
        MessageBoxW(NULL, text, L"kr", MB_ICONERROR);
    else
        fwprintf(stderr, L"kr: %ls\n", text);
    return 1;
}

int wmain(int argc, wchar_t** argv) {
    static wchar_t folder[LONGEST], dll[LONGEST + 64], python[LONGEST + 64];
    GetModuleFileNameW(NULL, folder, LONGEST);
    *wcsrchr(folder, L'\\') = 0;
    swprintf(dll, LONGEST + 64, L"%ls\\runtime\\" PYTHON_DLL, folder);
    swprintf(python, LONGEST + 64, L"%ls\\runtime\\python.exe", folder);

    HMODULE library = LoadLibraryExW(dll, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    python_main* run = library ? (python_main*)(void*)GetProcAddress(library, "Py_Main") : NULL;
    wchar_t** words = calloc(argc + 3, sizeof *words);
    if (!run || !words)
        return fail(dll);

    /* what Python starts processes with is its own program: this one is always kr */
    words[0] = python;
    words[1] = L"-m";
    words[2] = L"kr";
    for (int i = 1; i < argc; i++)
        words[i + 2] = argv[i];
    return run(argc + 2, words);
}
