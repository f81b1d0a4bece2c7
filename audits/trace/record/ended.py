"""How a program ends that does not end by itself, and what is said of an error."""

from __future__ import annotations

from audits.values import told as text_of


class Ended(BaseException):
    """The program ends its process."""


class OutOfTime(BaseException):
    """The time that a trace may take is over."""

    from_outside = True


def told(error: BaseException) -> str:
    """An error in a sentence: its type and the beginning of its text, without what a terminal obeys."""
    if isinstance(error, Ended):
        return "a call of %s" % error
    return "%s: %s" % (type(error).__name__, text_of(error))
