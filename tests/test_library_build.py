"""The build of kr as a C library: what it needs, its header, its example, and what it leaves in a process."""

import re
import shutil
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import library as lib
import pytest
from library import built

import kr
from kr.engine.bench import POSITIONS
from kr.errors import OutputBusyError
from kr.storage import data_path, lock

pytestmark = [
    pytest.mark.slow,
    pytest.mark.posix("the library for Windows is built on Linux"),
    pytest.mark.skipif(not lib.BUILD.exists(), reason="the sources of the library are not here"),
]


def test_it_needs_the_c_library_alone() -> None:
    def names(*options: str) -> set[str]:
        listed = subprocess.run(
            ["nm", "-D", *options, built() / "libkr.so"], check=True, capture_output=True, text=True
        ).stdout
        return {line.split()[-1].partition("@")[0] for line in listed.splitlines()}

    needed = {name for name in names("-u") if not name.startswith(("_ITM_", "__gmon_start__", "__cxa_finalize"))}
    assert needed <= {
        *("calloc", "malloc", "realloc", "free", "posix_memalign", "malloc_usable_size", "madvise"),
        *("memcmp", "memcpy", "memmove", "memset", "strcmp", "strlen", "log2", "pow", "expf", "clock_gettime"),
        *("open64", "open", "close", "fcntl", "fcntl64", "fstat64", "fstat", "pread64", "pread", "__errno_location"),
        *("pthread_mutex_init", "pthread_mutex_destroy", "pthread_mutex_lock", "pthread_mutex_unlock"),
        *("__stack_chk_fail", "__memcpy_chk", "__fxstat64"),
    }
    declared = re.findall(r"^KR_API .*?(kr_\w+)\(", (built() / "kr.h").read_text(), re.MULTILINE)
    assert names("--defined-only") == set(declared)
    assert len(declared) > 25


def test_a_call_of_python_is_found(tmp_path: Path) -> None:
    """The build refuses a library that would need Python."""
    for name in ("kr/__init__.py", "packaging/library/compile_library.py", "packaging/library/pyconfig.h"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(lib.ROOT / name, tmp_path / name)
    bench = tmp_path / "kr" / "engine"
    bench.mkdir()
    for name in ("bench.py", POSITIONS):
        shutil.copy(lib.ROOT / "kr" / "engine" / name, bench)
    (tmp_path / "packaging" / "library" / "unit.c").write_text('#include "_engine.c"\n')
    greeting = "cdef extern from 'Python.h':\n    pass\n\ncdef public void kr_greet() noexcept:\n    print('kr')\n"
    (tmp_path / "kr" / "_engine.pyx").write_text(greeting)
    build = tmp_path / "packaging" / "library" / "compile_library.py"
    done = subprocess.run([lib.sys.executable, build], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(r"^kr: the library would need Python: .*PyErr_", done.stderr, re.MULTILINE), done.stderr


@pytest.mark.parametrize("kind", ["shared", "static"])
def test_the_example_plays_a_game(kind: str, tmp_path: Path) -> None:
    """A C compiler takes example and header without a warning; the moves are legal."""
    source = lib.ROOT / "packaging" / "library" / "example.c"
    linked = [f"-L{built()}", "-lkr", f"-Wl,-rpath,{built()}"] if kind == "shared" else [built() / "libkr.a", "-lm"]
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    subprocess.run(["cc", *strict, source, f"-I{built()}", *linked, "-o", tmp_path / "example"], check=True)
    run = [tmp_path / "example", built() / "kr.krt", data_path("egdb")]
    shown = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    moves, last = shown.strip().splitlines()
    game = kr.Board()
    for text in re.sub(r"\d+\. ", "", moves).split():
        game.play(text)
    assert len(game.moves) > 20
    assert last.startswith(game.position.fen)
    failed = subprocess.run([tmp_path / "example", tmp_path, tmp_path], capture_output=True, text=True)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == f"{tmp_path}: a file is missing or can't be read\n"


def test_the_header_is_c_plus_plus_too(tmp_path: Path) -> None:
    (tmp_path / "try.cpp").write_text('#include "kr.h"\nint main() { return kr_check(nullptr) == KR_OK; }\n')
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", f"-I{built()}"]
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler")
    subprocess.run([*command, tmp_path / "try.cpp"], check=True)


def test_there_is_no_signature_without_memory() -> None:
    code = (
        "import ctypes, resource, sys\n"
        "library = ctypes.CDLL(sys.argv[1])\n"
        "library.kr_signature.restype = ctypes.c_uint64\n"
        "resource.setrlimit(resource.RLIMIT_AS, (48 << 20, -1))\n"
        "print(library.kr_signature(None))\n"
    )
    program = [lib.sys.executable, "-c", code, built() / "libkr.so"]
    assert subprocess.run(program, check=True, capture_output=True, text=True).stdout == "0\n"


@pytest.mark.soak
def test_no_thread_reads_what_another_writes(tmp_path: Path) -> None:
    """Searches in two threads, watched and stopped from a third, by a library with ThreadSanitizer."""
    threads = lib.compile_with(Path(__file__).with_name("library_threads.c"), "-fsanitize=thread", out=tmp_path)
    done = subprocess.run([threads, data_path("egdb"), "5"], capture_output=True, text=True, timeout=120)
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("ThreadSanitizer doesn't know this system's addresses")
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 5


UNLOAD = """
import _ctypes, ctypes, sys
from pathlib import Path

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

sizes = []
for _ in range(20):
    library = ctypes.CDLL(sys.argv[1])
    made = ctypes.c_void_p(), ctypes.c_void_p()
    assert library.kr_open_database(ctypes.byref(made[0]), sys.argv[2].encode(), 0) == 0
    assert library.kr_open_engine(ctypes.byref(made[1]), None, made[0], ctypes.c_size_t(1 << 20)) == 0
    library.kr_close_engine.argtypes = library.kr_close_database.argtypes = [ctypes.c_void_p]
    library.kr_close_engine(made[1])
    library.kr_close_database(made[0])
    _ctypes.dlclose(library._handle)
    assert "libkr" not in Path("/proc/self/maps").read_text()
    sizes.append(resident())
print(sizes[-1] - sizes[4])
"""


def test_a_library_that_is_unloaded_leaves_nothing() -> None:
    """What its databases shared is freed with the last of them."""
    program = [lib.sys.executable, "-c", UNLOAD, built() / "libkr.so", data_path("egdb")]
    grown = int(subprocess.run(program, check=True, capture_output=True, text=True).stdout)
    # before 0.4 MB each time
    assert grown < 1_000_000


def test_a_second_build_waits_for_the_first() -> None:
    with ExitStack() as held:
        # other tests build too
        for _ in range(100):
            with suppress(OutputBusyError):
                held.enter_context(lock(built().with_name("library-c")))
                break
            time.sleep(0.1)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        build = subprocess.Popen([lib.sys.executable, lib.BUILD], text=True, **pipes)
        assert build.stderr
        assert build.stderr.readline() == "kr: another build is at work; waiting for it\n"
        assert build.poll() is None
    assert build.communicate(timeout=60) == ("kr: wrote build/library\n", "")
    assert build.returncode == 0
