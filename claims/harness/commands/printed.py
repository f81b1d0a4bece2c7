"""What is printed: control characters of other people's texts are shown, and do nothing.

Names, notes, tracebacks and file names may come from run folders, tables and libraries of anybody. An escape
character in them could move the cursor, rename the window or overwrite a verdict. A letter that the encoding
of a stream lacks, and a reader that has left, change no verdict either.
"""

from __future__ import annotations

import os
import re
from typing import Any, TextIO

# C0 and C1 without tab and line feed, and the marks that turn the direction of writing.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# The colours of this program's own words: no hidden, black or reversed text.
_CODE = "(?:0|1|2|22|3[1-6]|39)"
_COLOUR = re.compile(f"(\x1b\\[(?:{_CODE}(?:;{_CODE})*)?m)")


def harmless(text: str, *, colours: bool = False) -> str:
    """The text with every control character but tab and line feed as its escape, valid in JSON, too.

    colours  leave bold and coloured letters as they are.

    >>> print(harmless("a\\x1b[2Jb"))
    a\\u001b[2Jb
    """
    if not colours:
        return _CONTROL.sub(_escape, text)
    # Pieces alternate: text, colour, text, …
    pieces = _COLOUR.split(text)
    pieces[::2] = [_CONTROL.sub(_escape, piece) for piece in pieces[::2]]
    return "".join(pieces)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def untagged(text: str) -> str:
    """Markdown whose author can put neither HTML nor an image from elsewhere onto a page.

    >>> print(untagged("$a<b$, <img src=x>, ![x](http://y)"))
    $a<b$, < img src=x>, \\![x](http://y)
    """
    text = re.sub(r"<(?=[A-Za-z/!?][^<>$]*>)", "< ", harmless(text))
    return re.sub(r"!(?=\[[^\]]*\][(\[])", r"\!", text)


class Printed:
    """A text stream that writes harmless text only; all else is the stream's that it stands for."""

    encoding = "utf-8"
    """What it takes: Click would go around a stream that says ASCII."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write the text, harmless; on a terminal with its colours."""
        shown = harmless(text, colours=self.stream.isatty())
        encoding = self.stream.encoding or "utf-8"
        try:
            self.stream.write(shown.encode(encoding, "backslashreplace").decode(encoding))
        except BrokenPipeError:
            self._write_nowhere()
        return len(text)

    def flush(self) -> None:
        """Write what is kept; who reads and has left has seen enough."""
        try:
            self.stream.flush()
        except BrokenPipeError:
            self._write_nowhere()

    def _write_nowhere(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
