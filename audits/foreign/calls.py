"""Other people's code is called here, and whatever it does becomes a value.

A claim, a mechanism or a module may raise what is no `Exception`, or call `exit` or `os._exit`. Left alone,
any of these would end this process with an exit status that passes for a verdict.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, final

from audits.values import told

P = ParamSpec("P")
T = TypeVar("T")
MOST_WORDS, MOST_TRACEBACK = 200, 8000
"""Characters of an error that are told, in a sentence and with its traceback."""


@final
@dataclass(frozen=True, slots=True)
class Failed:
    """What foreign code ended with in place of a result: ``type(found) is Failed``, as a result may lie about
    its class."""

    error: BaseException

    @property
    def sentence(self) -> str:
        """What it did, on one line.

        >>> called(lambda: exit(0)).sentence, called(int, "x").sentence
        ('called exit(0)', "raised ValueError(invalid literal for int() with base 10: 'x')")
        """
        if isinstance(self.error, SystemExit):
            return f"called exit({self.error.code!r})"[:MOST_WORDS]
        words = called(told, self.error)  # which is foreign, too
        return f"raised {type(self.error).__name__}({'' if type(words) is Failed else words})"

    @property
    def traceback(self) -> str:
        """The traceback as Python prints it, its middle left out where an error is long; the last line is cut
        to a sentence, so that it can be shown alone."""
        *lines, last = "".join(traceback.format_exception(self.error)).strip().splitlines()
        if isinstance(self.error, SystemExit):
            last = self.sentence
        text = "\n".join([*lines, last[:MOST_WORDS] + "…" * (len(last) > MOST_WORDS)])
        if len(text) > MOST_TRACEBACK:
            text = f"{text[: MOST_TRACEBACK // 2]}\n…\n{text[-MOST_TRACEBACK // 2 :]}"
        return text + "\n"


def called(function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T | Failed:
    """The result of foreign code, or `Failed`.

    Raises only what comes from outside of it: Ctrl-C, and exceptions of a type whose `from_outside` is true,
    which handlers of signals and of time limits raise. A child that the code forks ends here.
    """
    process = os.getpid()
    with exits_are_errors():
        try:
            return function(*arguments, **keywords)
        except BaseException as error:
            if _is_from_outside(error):
                raise
            return Failed(error)
        finally:
            if os.getpid() != process:
                os._exit(0)


def required(what: str, function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
    """The result of foreign code. Raises ValueError, `what` and what the code did, where it gives none; a
    ValueError passes as it is, as those that we raise on the way have words of their own."""
    found = called(function, *arguments, **keywords)
    if type(found) is not Failed:
        return found
    if isinstance(found.error, ValueError):
        raise found.error
    raise ValueError(f"{what} {found.sentence}") from found.error


def _is_from_outside(error: BaseException) -> bool:
    if isinstance(error, KeyboardInterrupt):
        # Where another handler of SIGINT is in place, nobody but the foreign code has raised it.
        return signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return getattr(type(error), "from_outside", False) is True


@contextmanager
def exits_are_errors() -> Generator[None]:
    """`os._exit` raises SystemExit in this process; children may end as they like."""
    mine, leave = os.getpid(), os._exit
    if getattr(leave, "raises_in", None) == mine:  # an outer call sees to it
        yield
        return

    def ended(status: int) -> Any:
        if os.getpid() != mine:
            leave(status)
        raise SystemExit(status)

    ended.raises_in = mine  # type: ignore[attr-defined]
    os._exit = ended  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit = leave
