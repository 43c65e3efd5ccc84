"""Addresses of clusters: `local[:N]`, the address of a scheduler, or the file that a scheduler wrote."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kr.errors import InvalidSettingError
from kr.extras import check_packages
from kr.settings import option
from kr.storage import parse_json, read_regular
from kr.system import core_count
from kr.text import file_text
from kr.threads import MAX_THREADS

FORMS = "local, local:2, tcp://HOST:8786, tls://HOST:8786 or a scheduler file"
_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[\w.-]+):([0-9]{1,5})")


@dataclass(frozen=True)
class ClusterAddress:
    """Address of a cluster. processes: workers to start here, 0 for a scheduler that runs already."""

    text: str
    processes: int = 0
    scheduler: str = ""
    """tcp:// or tls:// address of a running scheduler; empty for a local cluster."""

    @classmethod
    def parse(cls, text: str) -> ClusterAddress:
        """Read one of FORMS. Raises InvalidSettingError, also for a scheduler file that can't be used, and OSError."""
        if local := re.fullmatch(r"local(?::([0-9]{1,5}))?", text):
            count = int(local[1]) if local[1] else core_count()
            if not 1 <= count <= MAX_THREADS:
                raise InvalidSettingError(f"cluster {text!r}: expected 1 to {MAX_THREADS} workers, such as local:2")
            return cls(text, processes=count)
        if "://" in text:
            match = _ADDRESS.fullmatch(text)
            if not match or not 0 < int(match[3]) < 1 << 16:
                raise InvalidSettingError(f"cluster {text!r:.80} is not an address; expected {FORMS}")
            return cls(text, scheduler=text)
        if not os.path.isfile(text):  # also False for names that can't be those of files
            raise InvalidSettingError(f"cluster {text!r:.80} is neither an address nor a file; expected {FORMS}")
        return cls(text, scheduler=_of_file(Path(text)))


def _of_file(path: Path) -> str:
    """Address in a file that `dask scheduler --scheduler-file` wrote."""
    try:
        address = parse_json(file_text(read_regular(path)))["address"]
    except (ValueError, LookupError, TypeError):
        address = None
    if not isinstance(address, str) or not _ADDRESS.fullmatch(address):
        raise InvalidSettingError(
            f"{path} is not a scheduler file; expected what `dask scheduler --scheduler-file FILE` writes"
        )
    return address


def cluster_option() -> Any:
    """Setting: the cluster that does the work, "" for none. It never changes results."""
    return option("", f"Let the workers of a Dask cluster do the work: {FORMS}.", parse=_checked, metavar="CLUSTER")


def _checked(text: str) -> str:
    address = ClusterAddress.parse(text)
    # certificates keep other users of this machine out of a local cluster
    needed = ("distributed", "cryptography") if address.processes else ("distributed",)
    check_packages("a cluster needs", *needed)
    return text
