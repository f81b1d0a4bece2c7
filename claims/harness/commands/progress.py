"""Progress on stderr: one line a finished claim."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from claims.harness.commands.stopping import Signalled
from claims.harness.run.result import ClaimResult


@contextmanager
def progress(claims: int) -> Iterator[Callable[[str, ClaimResult | None], None]]:
    """The runner's callback, for so many claims; whoever is stopped is told how far it came."""
    done = 0

    def report(event: str, result: ClaimResult | None) -> None:
        nonlocal done
        if event == "claim" and result is not None:
            done += 1
            how = "stored" if result.cached else f"{result.seconds:.1f} s"
            told = f"[{done}/{claims}] {result.id} {result.verdict or 'crashed'} ({how})"
            print(told, file=sys.stderr, flush=True)
        else:
            print(f"warning: {event}", file=sys.stderr, flush=True)

    try:
        yield report
    except Signalled as stop:
        stop.add_note(f"{done} of {claims} claims are done")
        stop.add_note("what is finished is stored, the same command resumes")
        raise
