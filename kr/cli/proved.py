"""Certificates of --proofs, checked before a command begins."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kr.cli import console
from kr.proofs.library import ProofLibrary, load_proofs

if TYPE_CHECKING:
    from kr.egdb.database import Database


def library_of(paths: Sequence[Path], database: "Database | None") -> ProofLibrary | None:
    """The certificates, checked while the progress is shown; None if there are no paths. Raises InvalidSettingError."""
    if not paths:
        return None
    with console.progress("checking certificates", None, "positions") as progress:
        return load_proofs(paths, database, progress.advance)
