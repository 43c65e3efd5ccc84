"""`kr samples`."""

from pathlib import Path

from kr.archives.samples import SAMPLES, write_samples
from kr.cli import console, options
from kr.settings import option


@options.command
def command(
    directory: Path = option(Path("."), "Folder for the files.", argument=True, metavar="DIR"),
    json: bool = options.JSON,
) -> None:
    """Write small sample files, which the guides use: games, an archive, problems, a repertoire.

    A sample that is there already stays; a file of its name with another content ends the command before it writes.

    Example:
        kr samples
        kr samples tryout
    """
    written = write_samples(directory)
    for path in written:
        console.wrote(path, SAMPLES[path.name])
    if json:
        console.emit_json({"directory": directory, "written": [path.name for path in written]})
    elif not written:
        console.put("the samples are there already")
