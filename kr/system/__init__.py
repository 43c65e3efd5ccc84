"""What operating systems do differently; nothing outside this room asks which one kr runs on.

`posix` and `windows` define these names with the same meanings, and each says what its system lacks. What C needs of a
system stands in kr/_rules/system.h.
"""

import sys

__all__ = [
    "END_SIGNALS",
    "NO_WINDOW",
    "cache_folder",
    "core_count",
    "ctrl_c_blocked",
    "data_folder",
    "drop_pages",
    "end_after",
    "end_group",
    "ended_how",
    "environment",
    "expand_paths",
    "flush_directory",
    "flush_file",
    "forget_memory_peak",
    "free_memory",
    "give_back_freed",
    "has_own_window",
    "holds",
    "is_alive",
    "is_locked",
    "join_command",
    "lock_file",
    "lower_priority",
    "memory_peak",
    "open_to_read",
    "path_of_open",
    "processor_seconds",
    "read_at",
    "read_pipe",
    "reader_has_gone",
    "reason_of",
    "remove_held",
    "replace_file",
    "resident_memory",
    "shows_symbols",
    "split_command",
    "start_group",
    "thread_seconds",
    "typed_path",
    "windows_program",
    "within",
]

if sys.platform == "win32":
    from kr.system.windows import *
else:
    from kr.system.posix import *
