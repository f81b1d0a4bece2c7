"""How a program ends that does not end by itself, and what is said of an error."""

from __future__ import annotations

MOST_TOLD = 200
"""Characters of an error that are told."""


class Ended(BaseException):
    """The program ends its process."""


class OutOfTime(BaseException):
    """The time that a trace may take is over."""

    from_outside = True


def told(error: BaseException) -> str:
    """An error in a sentence: its type and the beginning of its text, without what a terminal obeys."""
    if isinstance(error, Ended):
        return "a call of %s" % error
    try:
        text = str(error)[: 10 * MOST_TOLD]
    except Exception:
        text = "an error that has no text"
    words = " ".join(text.split())
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in words)
    cut = plain if len(plain) <= MOST_TOLD else plain[:MOST_TOLD] + "…"
    return "%s: %s" % (type(error).__name__, cut)
