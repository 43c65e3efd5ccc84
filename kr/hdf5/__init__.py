"""HDF5 files: checked as they are read, since anyone may have made them, and read back once written."""

from kr.hdf5.files import new_file, new_group, reading, reading_in_place, write_hdf5
from kr.hdf5.library import MOST_ATTRIBUTES, MOST_CHUNKS, MOST_TEXT
from kr.hdf5.numbers import FINITE, check_array, number_in
from kr.hdf5.source import Attribute, ChunkedRows, Hdf5Source

__all__ = [
    "FINITE",
    "MOST_ATTRIBUTES",
    "MOST_CHUNKS",
    "MOST_TEXT",
    "Attribute",
    "ChunkedRows",
    "Hdf5Source",
    "check_array",
    "new_file",
    "new_group",
    "number_in",
    "reading",
    "reading_in_place",
    "write_hdf5",
]
