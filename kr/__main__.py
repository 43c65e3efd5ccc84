"""`python -m kr` is `kr`."""

import sys

from kr.cli import main

if __name__ == "__main__":
    sys.exit(main())
