"""What operating systems do differently; nothing outside this room asks which one kr runs on.

`posix` and `windows` offer the same names with the same meanings, and each says what its system lacks. What C needs of
a system stands in kr/_rules/system.h.
"""

import sys

if sys.platform == "win32":
    from kr.system.windows import *  # noqa: F403
else:
    from kr.system.posix import *  # noqa: F403
