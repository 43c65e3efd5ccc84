"""Loaded by the worker processes of a local cluster: Ctrl-C is for the coordinator, which ends them in good order."""

import logging
import signal
import threading


def dask_setup(worker: object) -> None:
    """Called by Dask in each new worker process."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
