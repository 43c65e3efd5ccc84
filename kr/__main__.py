"""`python -m kr` is `kr`."""

import sys

AGAIN_SECONDS = 0.02
"""Time after which an interrupt that was lost is sent again: that function has returned by then."""


def main() -> int:
    """Run the command line of this process; a Ctrl-C while the command is still being imported is one line as well."""
    sys.unraisablehook = unraisable
    try:
        from kr import cli

        return cli.main()
    except KeyboardInterrupt:
        print("kr: interrupted", file=sys.stderr)
        return 1


def unraisable(event: "sys.UnraisableHookArgs") -> None:
    """`sys.unraisablehook`: interrupts that fall into a callback are sent again, where Python would drop them.

    Each import has such callbacks, so that one of a hundred interrupts while a command starts would be lost.
    """
    if event.exc_type is None or not issubclass(event.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(event)
        return
    import _thread
    import signal
    import threading

    from kr.system import END_SIGNALS

    # shells start background jobs with SIGINT ignored: it was the other one
    number = next((each for each in END_SIGNALS if signal.getsignal(each) is not signal.SIG_IGN), END_SIGNALS[0])
    timer = threading.Timer(AGAIN_SECONDS, _thread.interrupt_main, (number,))
    timer.daemon = True
    timer.start()


if __name__ == "__main__":
    sys.exit(main())
