"""Certificates of --proofs, checked before a command begins."""

from collections.abc import Sequence
from pathlib import Path

from kr.cli import console
from kr.egdb.database import Database
from kr.proofs.library import ProofLibrary, load_proofs


def library_of(paths: Sequence[Path], database: "Database | None") -> ProofLibrary | None:
    """The certificates, checked while the progress is shown; None if there are no paths. Raises InvalidSettingError."""
    if not paths:
        return None
    with console.progress("checking certificates", None, "positions") as progress:
        return load_proofs(paths, database, progress.advance)
