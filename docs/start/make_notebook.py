"""Writes docs/start/tutorial.ipynb, with what it shows, from docs/start/tutorial.py: `make tutorial`."""

from pathlib import Path
from tempfile import TemporaryDirectory

import jupytext
import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def main() -> None:
    book = jupytext.read(HERE / "tutorial.py")
    # nothing that changes from one run, or one machine, to the next
    book.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for number, cell in enumerate(book.cells, 1):
        cell.id = f"cell-{number}"
    with TemporaryDirectory() as directory:
        NotebookClient(book, record_timing=False, resources={"metadata": {"path": directory}}).execute()
    del book.metadata["language_info"]
    nbformat.write(book, HERE / "tutorial.ipynb")


if __name__ == "__main__":
    main()
