/* What the systems do differently: memory on huge pages, locks, files by descriptor, mapped files, the clock. The one
   header that asks which system it is compiled for; C, since the preprocessor tells. */

#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <sys/stat.h>
#include <windows.h>
/* empty words of Windows 3, which kr uses as names */
#undef near
#undef far
#elif defined(__wasm__)
#include <errno.h>
#include <time.h>
#else
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <malloc.h>
#endif
#endif

#if defined(_WIN32)
#define KR_PATH_SEPARATOR ';'
#else
#define KR_PATH_SEPARATOR ':'
#endif

/* Large aligned memory, which kr_free_pages frees. */

#define KR_PAGE ((size_t)1 << 21)

#if defined(__wasm__)
/* The C library may round what is large up to a power of two there. Memory can't be given back to the browser: what is
   freed is used again. A block begins with 64 bytes of its own. */

typedef struct kr_block {
    struct kr_block* next;
    size_t bytes;
} kr_block;

#define KR_BLOCK_HEAD ((size_t)64)
#define KR_WASM_PAGE ((size_t)1 << 16)

static kr_block* kr_free_blocks;

static void* kr_allocate_untouched(uint64_t wanted) {
    kr_block** place;
    kr_block* block;
    kr_block* rest;
    size_t bytes, before;
    if (wanted > SIZE_MAX - KR_WASM_PAGE - KR_BLOCK_HEAD) return NULL;
    bytes = ((size_t)wanted + KR_BLOCK_HEAD + KR_WASM_PAGE - 1) / KR_WASM_PAGE * KR_WASM_PAGE;
    for (place = &kr_free_blocks; (block = *place); place = &block->next) {
        if (block->bytes < bytes) continue;
        *place = block->next;
        if (block->bytes > bytes) {
            rest = (kr_block*)((char*)block + bytes);
            rest->bytes = block->bytes - bytes;
            rest->next = kr_free_blocks;
            kr_free_blocks = rest;
            block->bytes = bytes;
        }
        return (char*)block + KR_BLOCK_HEAD;
    }
    before = __builtin_wasm_memory_grow(0, bytes / KR_WASM_PAGE);
    if (before == SIZE_MAX) return NULL;
    block = (kr_block*)(before * KR_WASM_PAGE);
    block->bytes = bytes;
    return (char*)block + KR_BLOCK_HEAD;
}
#else
static void* kr_allocate_untouched(uint64_t wanted) {
    void* memory = NULL;
    size_t bytes = (size_t)wanted;
    size_t alignment = bytes >= KR_PAGE ? KR_PAGE : 64;
    /* more than there are addresses, of 32 bits for instance */
    if (wanted > SIZE_MAX - KR_PAGE) return NULL;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (bytes == 0) bytes = alignment;
#if defined(_WIN32)
    memory = _aligned_malloc(bytes, alignment);
#else
    if (posix_memalign(&memory, alignment, bytes)) return NULL;
#endif
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= KR_PAGE) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}
#endif

static void* kr_allocate_pages(uint64_t bytes) {
    void* memory = kr_allocate_untouched(bytes);
    if (memory) memset(memory, 0, (size_t)bytes);
    return memory;
}

static void kr_free_pages(void* memory) {
#if defined(_WIN32)
    _aligned_free(memory);
#elif defined(__wasm__)
    kr_block* block = (kr_block*)((char*)memory - KR_BLOCK_HEAD);
    if (!memory) return;
    block->next = kr_free_blocks;
    kr_free_blocks = block;
#else
#if defined(__linux__)
    /* else the C library would keep the pages, for whatever thread asks for as many again */
    const size_t bytes = malloc_usable_size(memory) / KR_PAGE * KR_PAGE;
    if (bytes) madvise(memory, bytes, MADV_DONTNEED);
#endif
    free(memory);
#endif
}

/* Locks between the threads of a process, not to be taken twice by one. */

#if defined(_WIN32)
typedef SRWLOCK kr_lock;

static int kr_open_lock(kr_lock* lock) {
    InitializeSRWLock(lock);
    return 0;
}

static void kr_close_lock(kr_lock* lock) {
    (void)lock;
}

static void kr_acquire(kr_lock* lock) {
    AcquireSRWLockExclusive(lock);
}

static void kr_release(kr_lock* lock) {
    ReleaseSRWLockExclusive(lock);
}
#elif defined(__wasm__)
/* there is one thread */
typedef char kr_lock;

static int kr_open_lock(kr_lock* lock) {
    *lock = 0;
    return 0;
}

static void kr_close_lock(kr_lock* lock) {
    (void)lock;
}

static void kr_acquire(kr_lock* lock) {
    (void)lock;
}

static void kr_release(kr_lock* lock) {
    (void)lock;
}
#else
typedef pthread_mutex_t kr_lock;

/* 0, or an error's number */
static int kr_open_lock(kr_lock* lock) {
    return pthread_mutex_init(lock, NULL);
}

static void kr_close_lock(kr_lock* lock) {
    pthread_mutex_destroy(lock);
}

static void kr_acquire(kr_lock* lock) {
    pthread_mutex_lock(lock);
}

static void kr_release(kr_lock* lock) {
    pthread_mutex_unlock(lock);
}
#endif

/* Files by descriptor. On Windows descriptors belong to the C runtime, which must be the one that Python was linked
   with: the universal one. */

#if defined(__wasm__)
/* A page has no files: all is read from memory. */
static int kr_open_file(const char* path) {
    (void)path;
    errno = ENOENT;
    return -1;
}

static int kr_no_such_file(void) {
    return 1;
}

static int64_t kr_file_size(int descriptor) {
    (void)descriptor;
    return -1;
}

static int kr_duplicate(int descriptor) {
    (void)descriptor;
    return -1;
}

static void kr_close(int descriptor) {
    (void)descriptor;
}

static int kr_read_at(int descriptor, uint8_t* to, uint64_t size, uint64_t at) {
    (void)descriptor, (void)to, (void)size, (void)at;
    return -1;
}
#else
/* Open a file by its path, in UTF-8, to read it; -1 with errno. A pipe or a device isn't waited for. */
static int kr_open_file(const char* path) {
#if defined(_WIN32)
    wchar_t wide[32768];
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, 32768)) {
        errno = ENOENT;
        return -1;
    }
    return _wopen(wide, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
#else
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
#endif
}

/* True if the last file could not be opened because there is none. */
static int kr_no_such_file(void) {
    return errno == ENOENT;
}

/* Bytes of a regular file; -1 for anything else. */
static int64_t kr_file_size(int descriptor) {
#if defined(_WIN32)
    struct _stat64 status;
    if (_fstat64(descriptor, &status) || !(status.st_mode & _S_IFREG)) return -1;
#else
    struct stat status;
    if (fstat(descriptor, &status) || !S_ISREG(status.st_mode)) return -1;
#endif
    return (int64_t)status.st_size;
}

/* Another descriptor of the same open file; -1 with errno if there is none. */
static int kr_duplicate(int descriptor) {
#if defined(_WIN32)
    /* _dup's would be inherited by the program's children */
    const HANDLE own = GetCurrentProcess(), file = (HANDLE)_get_osfhandle(descriptor);
    HANDLE copy;
    int made;
    if (file == INVALID_HANDLE_VALUE) return -1;
    if (!DuplicateHandle(own, file, own, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
        errno = EMFILE;
        return -1;
    }
    made = _open_osfhandle((intptr_t)copy, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    if (made < 0) CloseHandle(copy);
    return made;
#else
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
#endif
}

static void kr_close(int descriptor) {
#if defined(_WIN32)
    _close(descriptor);
#else
    close(descriptor);
#endif
}

/* 0, or -1 if the file doesn't have these bytes (any more). Whatever the file's own position is, it isn't used; on
   Windows it is moved. */
static int kr_read_at(int descriptor, uint8_t* to, uint64_t size, uint64_t at) {
    while (size > 0) {
        const size_t part = size < (1 << 30) ? (size_t)size : 1 << 30;
#if defined(_WIN32)
        OVERLAPPED where = {0};
        DWORD count = 0;
        where.Offset = (DWORD)at;
        where.OffsetHigh = (DWORD)(at >> 32);
        if (!ReadFile((HANDLE)_get_osfhandle(descriptor), to, (DWORD)part, &count, &where)) return -1;
#else
        const ssize_t count = pread(descriptor, to, part, (off_t)at);
        if (count < 0 && errno == EINTR) continue;
#endif
        if (count <= 0) return -1;
        to += count;
        size -= (uint64_t)count;
        at += (uint64_t)count;
    }
    return 0;
}
#endif

/* Mapped files. Another program may cut one short; a read of what is gone is a signal, which would end the process. A
   mapping that is watched reads as zeros there, and says so, which costs a read nothing. One thread at a time begins or
   ends to watch. Windows lets nobody cut a file that is mapped. */

#if defined(_WIN32) || defined(__wasm__)
/* Number of a mapping that is watched from now on; -1 if they are too many. */
static int kr_watch_mapping(const void* begin, uint64_t bytes) {
    (void)begin, (void)bytes;
    return 0;
}

static void kr_forget_mapping(int number) {
    (void)number;
}

/* True if something was read of a mapping that its file does not have any more. */
static int kr_mapping_was_cut(int number) {
    (void)number;
    return 0;
}
#else
#define KR_MAPPINGS (1 << 14)

static volatile struct {
    uintptr_t begin, end;
    int was_cut;
} kr_mappings[KR_MAPPINGS];
static volatile int kr_mappings_used;
static struct sigaction kr_former_bus_action;

/* The end of a process by SIGBUS, or whatever another library does then. */
static void kr_pass_bus_error(int number, siginfo_t* info, void* context) {
    static volatile sig_atomic_t is_passed;
    /* one that passes it back has nothing else to do */
    if (is_passed || kr_former_bus_action.sa_handler == SIG_DFL || kr_former_bus_action.sa_handler == SIG_IGN) {
        signal(number, SIG_DFL);
        return;
    }
    is_passed = 1;
    if (kr_former_bus_action.sa_flags & SA_SIGINFO) kr_former_bus_action.sa_sigaction(number, info, context);
    else kr_former_bus_action.sa_handler(number);
    is_passed = 0;
}

static void kr_on_bus_error(int number, siginfo_t* info, void* context) {
    const int saved = errno;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t at = (uintptr_t)info->si_addr / page * page;
    int i;
    for (i = 0; i < kr_mappings_used; i++) {
        if (at < kr_mappings[i].begin || at >= kr_mappings[i].end) continue;
        /* what comes after it is gone as well */
        if (mmap((void*)at, kr_mappings[i].end - at, PROT_READ, MAP_PRIVATE | MAP_ANON | MAP_FIXED, -1, 0) == MAP_FAILED)
            break;
        kr_mappings[i].was_cut = 1;
        errno = saved;
        return;
    }
    kr_pass_bus_error(number, info, context);
    errno = saved;
}

static int kr_watch_mapping(const void* begin, uint64_t bytes) {
    struct sigaction now, own;
    int i;
    for (i = 0; i < KR_MAPPINGS && kr_mappings[i].end; i++) {}
    if (i == KR_MAPPINGS || sigaction(SIGBUS, NULL, &now)) return -1;
    if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != kr_on_bus_error) {
        kr_former_bus_action = now;
        memset(&own, 0, sizeof(own));
        own.sa_sigaction = kr_on_bus_error;
        own.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&own.sa_mask);
        if (sigaction(SIGBUS, &own, NULL)) return -1;
    }
    kr_mappings[i].was_cut = 0;
    kr_mappings[i].begin = (uintptr_t)begin;
    kr_mappings[i].end = (uintptr_t)begin + bytes;
    if (i == kr_mappings_used) kr_mappings_used = i + 1;
    return i;
}

static void kr_forget_mapping(int number) {
    if (number >= 0) kr_mappings[number].end = 0;
}

static int kr_mapping_was_cut(int number) {
    return number >= 0 && kr_mappings[number].was_cut;
}
#endif

/* Seconds since some moment, by a clock that is never set. */
static double kr_seconds(void) {
#if defined(_WIN32)
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    return (double)ticks.QuadPart / (double)frequency.QuadPart;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}
