"""Compact files of policies, for the C library: what a policy file of a net has, without HDF5.

docs/reference/c-library.md describes the format.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from kr.errors import InvalidPolicyError
from kr.file_kinds import POLICY_MAGIC
from kr.policy.policy import Policy
from kr.policy.shape import SIGHTS, move_ids
from kr.storage import write_atomic

COMPACT_POLICY_VERSION = 1
COMPACT_POLICY_SUFFIX = ".krp"


def save_compact_policy(path: Path, policy: Policy) -> int:
    """Write a compact file of a policy at once or not at all; returns its bytes. Raises InvalidPolicyError."""
    content = compact_policy(policy)
    write_atomic(path, content)
    return len(content)


def compact_policy(policy: Policy) -> bytes:
    """Content of a compact file. Raises InvalidPolicyError for another model than a net.

    Sight is bound to the tables that the policy looks with, of which the file has the checksum and the scale.
    """
    shape, eyes = policy.shape, policy.eyes
    if shape.model != "net":
        raise InvalidPolicyError(f"{policy.name}: a {shape.model}; the C library takes policies of the model net alone")
    edges = shape.strengths, shape.years, shape.best, shape.behind
    checksums = policy.model.checksum, eyes.signature if eyes else ""
    body = b"".join(checksum.encode("ascii").ljust(32, b"\0")[:32] for checksum in checksums)
    body += struct.pack("<4I", SIGHTS.index(shape.sight), shape.before, *shape.hidden)
    body += struct.pack("<4I", *map(len, edges)) + struct.pack("<d", eyes.scale if eyes else 1)
    body += b"".join(struct.pack(f"<{len(each)}d", *each) for each in edges) + move_ids().tobytes()
    # floats of a model are those of 16 bits already
    body += b"".join(policy.model.arrays[name].astype("<f2").tobytes() for name in shape.array_sizes)
    return POLICY_MAGIC + struct.pack("<2I", COMPACT_POLICY_VERSION, zlib.crc32(body)) + body
