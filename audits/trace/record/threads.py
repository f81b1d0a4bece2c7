"""Threads of the process that are not the program's: those of a cluster's worker, a server, a notebook."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, Dict, FrozenSet

POOLS = tuple(
    os.path.join(*parts) for parts in (("concurrent", "futures", "thread.py"), ("multiprocessing", "pool.py"))
)
"""Files of the standard library in which the idle threads of a pool wait: the program may give them work."""


def others() -> FrozenSet[int]:
    """Threads that run before the program begins, but for the caller and the idle threads of pools."""
    mine = threading.get_ident()
    running: Dict[int, Any] = getattr(sys, "_current_frames")()  # noqa: B009
    return frozenset(t for t, frame in running.items() if t != mine and not _of_a_pool(frame))


def _of_a_pool(frame: Any) -> bool:
    """Whether the thread with this frame belongs to a pool."""
    while frame is not None:
        if frame.f_code.co_filename.endswith(POOLS):
            return True
        frame = frame.f_back
    return False
