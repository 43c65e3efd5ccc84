"""`python -m kr` is `kr`."""

import sys


def main() -> int:
    """Run the command line of this process; a Ctrl-C while the command is still being imported is one line as well."""
    try:
        from kr import cli

        return cli.main()
    except KeyboardInterrupt:
        print("kr: interrupted", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
