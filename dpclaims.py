"""The public names of the distribution, and the command `dpclaims`.

    from dpclaims import audit_privacy, fit_rate, hockey_stick, load, run, Claim, Paper

Each name is loaded when it is first used. The command checks that the three packages are ours, then hands
over to the command line. This module stands outside the packages, because another distribution may have put
its own `claims`, `audits` or `implementations` in their place, and then none of their code can be trusted to
say so.
"""

from __future__ import annotations

import importlib
import sys
import threading
from typing import TYPE_CHECKING, Any

from dpclaims_packages import clashes

if TYPE_CHECKING:
    from audits import *  # noqa: F403
    from claims import *  # noqa: F403


def __getattr__(name: str) -> Any:
    # The names of `audits` and `claims`; what Python itself looks for, such as `__path__`, is none of them.
    if not name.startswith("_"):
        if problems := clashes():
            raise ImportError("; ".join(problems))
        for package in map(importlib.import_module, ("audits", "claims")):
            if name in package.HOMES:
                return getattr(package, name)
    raise AttributeError(f"module 'dpclaims' has no attribute {name!r}")


def __dir__() -> list[str]:
    packages = () if clashes() else map(importlib.import_module, ("audits", "claims"))
    return sorted({*globals(), *(name for package in packages for name in package.HOMES)})


def main() -> None:
    """Entry point of the command; exit status 2 where the packages are not ours, 130 after Ctrl-C."""
    if problems := clashes():
        for problem in problems:
            print(f"dpclaims: {problem}", file=sys.stderr)
        raise SystemExit(2)
    from audits.foreign.ends import END  # before a command replaces `os._exit`

    status = command()
    left = [t for t in threading.enumerate() if not t.daemon and t is not threading.main_thread()]
    if any(not type(thread).__module__.startswith("joblib") for thread in left):
        sys.stdout.flush()
        END(status)  # a thread that a program of the user's has left may never end
    raise SystemExit(status)


def command() -> int:
    """The exit status of the command, run in this process."""
    try:
        from claims.harness.commands.main import main as command_line
    except KeyboardInterrupt:
        print("dpclaims: stopped before the command began", file=sys.stderr)
        return 130
    return command_line()


if __name__ == "__main__":
    main()
