"""Small files to try commands with, which the guides use.

Games are those of `kr match` between levels, 20,000 nodes a move, as `kr pdn convert --no-comments` writes them;
my-games.pdn has other names and begins with moves of white.pdn. Problems are classics, and what `kr problem vary
"B:W30:BK21,22" --goal draw` keeps; `kr problem check problems.pdn --pdn book.pdn` made book.pdn of them.
"""

from pathlib import Path

from kr import storage
from kr.errors import InvalidSettingError

SAMPLE_FOLDER = Path(__file__).with_name("samples")
SAMPLES = {
    "games.pdn": "10 games of the levels of kr",
    "archive.pdn.xz": "300 games of stronger levels, packed",
    "my-games.pdn": 'games of "Smith, J", who has the repertoire white.pdn',
    "white.pdn": "a repertoire for White",
    "problems.pdn": "ten problems with their published lines",
    "book.pdn": "the same as a book, with stars at only moves",
}


def write_samples(folder: Path) -> list[Path]:
    """Write the samples into a folder; those that are there already stay. Returns the paths of what was written.

    Raises InvalidSettingError, before anything is written, if a file of such a name has another content, or is in
    the way of the folder; OSError.
    """
    contents = {folder / name: (SAMPLE_FOLDER / name).read_bytes() for name in SAMPLES}
    missing = [path for path in contents if not path.exists()]
    for path in contents.keys() - {*missing}:
        if not path.is_file() or path.stat().st_size != len(contents[path]) or path.read_bytes() != contents[path]:
            raise InvalidSettingError(f"{path} has another content than the sample of this name; choose another folder")
    storage.make_directory(folder)
    for path in missing:
        storage.write_atomic(path, contents[path])
    return missing
