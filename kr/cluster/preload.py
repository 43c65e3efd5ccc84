"""Module that worker processes of a local cluster load: they ignore Ctrl-C, since the coordinator ends them."""

import logging
import signal
import threading


def dask_setup(worker: object) -> None:
    """Called by Dask in each new worker process."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
