"""Names of temporary files that tell which process made them, on which machine."""

from __future__ import annotations

import os
import re
import socket
import time
from pathlib import Path
from secrets import token_hex

_NAME = re.compile(r"\.(?P<pid>\d+)@(?P<host>[^-]*)-[0-9a-f]{8}-")
OLD = 7 * 86400.0
"""Seconds after which what another machine has left is taken for abandoned."""


def temporary_name(name: str) -> str:
    """A name that no other process uses, for what becomes `name` in the end."""
    return f".{os.getpid()}@{_host()}-{token_hex(4)}-{name}"


def is_abandoned(path: Path) -> bool:
    """Whether `path` has such a name, and the process that made it is dead.

    Only a process of this machine can be asked for; a file of another machine, which shares the folder over
    the network, counts as abandoned when it is a week old.
    """
    found = _NAME.match(path.name)
    if found is None:
        return False
    if found["host"] != _host():
        try:
            return time.time() - path.lstat().st_mtime > OLD
        except OSError:
            return False
    pid = int(found["pid"])
    return pid != os.getpid() and not is_alive(pid)


def is_alive(pid: int) -> bool:
    """Whether a process of this machine has this id."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9.]", "_", socket.gethostname())
