"""Installs the C library of Linux: python packaging/library/install.py --prefix DIR [--destdir DIR] (make install)

    lib/libkr.so.0, libkr.so, libkr.a    the engine
    include/kr.h, krb.h                  its interface; a reader of opening books
    lib/pkgconfig/kr.pc                  what pkg-config tells compilers
    share/kr                             tables, moves of people, opening book, endgame database

With --destdir everything goes below that directory, as packages are made, and names the prefix alone.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

from compile_library import ROOT, SONAME

BUILT = ROOT / "build" / "library"
PC = """prefix={prefix}
libdir=${{prefix}}/lib
includedir=${{prefix}}/include
datadir=${{prefix}}/share/kr

Name: kr
Description: English draughts: rules, search, tables, endgame databases
Version: {version}
Libs: -L${{libdir}} -lkr
Libs.private: -lm
Cflags: -I${{includedir}}
"""


def install(prefix: Path, destdir: Path | None) -> list[Path]:
    """Put what make library has built in place; the files, without the link. Raises OSError."""
    top = destdir / prefix.relative_to("/") if destdir else prefix
    lib, include, share = top / "lib", top / "include", top / "share" / "kr"
    files = {
        lib / SONAME: BUILT / SONAME,
        lib / "libkr.a": BUILT / "libkr.a",
        include / "kr.h": BUILT / "kr.h",
        include / "krb.h": BUILT / "krb.h",
        **{share / name: BUILT / name for name in ("kr.krt", "people.krp", "kr.krb")},
        **{share / "egdb" / path.name: path for path in sorted((ROOT / "egdb").glob("*.egdb"))},
    }
    for target, source in files.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        # a program that uses the old file goes on with it
        part = target.with_name(f".{target.name}.part")
        shutil.copyfile(source, part)
        part.chmod(0o755 if target.name == SONAME else 0o644)
        part.replace(target)
    link = lib / "libkr.so"
    link.unlink(missing_ok=True)
    link.symlink_to(SONAME)
    pc = lib / "pkgconfig" / "kr.pc"
    pc.parent.mkdir(exist_ok=True)
    pc.write_text(PC.format(prefix=prefix, version=(BUILT / "version").read_text()))
    return [*files, pc]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, required=True)
    parser.add_argument("--destdir", type=Path)
    chosen = parser.parse_args()
    prefix = Path(os.path.abspath(chosen.prefix))
    try:
        files = install(prefix, chosen.destdir)
    except OSError as error:
        sys.exit(f"kr: {error.filename}: {error.strerror}")
    print(f"kr: installed {len(files)} files below {prefix}")


if __name__ == "__main__":
    main()
