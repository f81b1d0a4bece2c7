"""Worker processes end with the process that they work for."""

from __future__ import annotations

import os
import threading
import time
from functools import partial

PAUSE = 1.0
"""Seconds between two looks at whether the parent lives."""
_WATCH = "end-with-parent"
END = partial(os._exit)
"""The function as it was: code of others has another `os._exit`, in a trace wherever a module names it."""


def end_with_parent(parent: int) -> None:
    """In a worker process: it ends within `PAUSE` seconds when `parent` is gone, even by SIGKILL. A second
    call does nothing.
    """
    if any(thread.name == _WATCH for thread in threading.enumerate()):
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PAUSE)
        END(1)

    threading.Thread(target=watch, name=_WATCH, daemon=True).start()
