"""Progress on stderr: a bar on a terminal, one line a finished claim elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from claims.harness.commands.stopping import Signalled
from claims.harness.run.result import ClaimResult


class Progress:
    """Context manager around a run; `report` is the runner's callback."""

    def __init__(self, *, cells: int, claims: int) -> None:
        self._cells, self._claims, self._done = cells, claims, 0
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            # The bar moves the cursor, which no text may: it goes around the stream that sees to that.
            stream = getattr(sys.stderr, "stream", sys.stderr)
            columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
            self._bar = Bar(*columns, console=Console(file=stream), transient=True)
            self._task = self._bar.add_task(f"0/{self._claims} claims", total=self._cells)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if isinstance(error, Signalled):
            error.add_note(f"{self._done} of {self._claims} claims are done")
            error.add_note("what is finished is stored, the same command resumes")

    def report(self, event: str, result: ClaimResult | None) -> None:
        """Take one event of the runner: a cell, a finished claim, or a warning in words."""
        if event == "cell":
            if self._bar is not None:
                self._bar.advance(self._task)
        elif event == "claim" and result is not None:
            self._done += 1
            if self._bar is not None:
                self._bar.update(self._task, description=f"{self._done}/{self._claims} claims")
            else:
                how = "stored" if result.cached else f"{result.seconds:.1f} s"
                verdict = result.verdict or "crashed"
                print(
                    f"[{self._done}/{self._claims}] {result.id} {verdict} ({how})",
                    file=sys.stderr,
                    flush=True,
                )
        else:
            print(f"warning: {event}", file=sys.stderr, flush=True)
