"""What is wrong with a printed statement that falls, how much it matters, and what speaks for its authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Weight(StrEnum):
    """What falls, from the heaviest to the lightest; whatever lists findings sorts by it."""

    THEOREM = "theorem"
    """A stated result fails as stated."""
    ALGORITHM = "algorithm"
    """A printed algorithm does not do what its theorem needs."""
    PROOF = "proof"
    """A step of a proof fails; `survives` says whether the result does."""
    RANGE = "range"
    """The result holds on a smaller range than the printed one."""
    LOGARITHM = "logarithm"
    """The result holds with another power of a logarithm."""
    CONSTANT = "constant"
    """The result holds with another constant."""
    TYPO = "typo"
    """The printed text is wrong and what is meant is evident."""
    CORNER = "corner"
    """The statement fails in a degenerate case only."""

    @property
    def rank(self) -> int:
        """0 for the heaviest."""
        return list(Weight).index(self)


CHECKED = (Weight.THEOREM, Weight.ALGORITHM, Weight.PROOF, Weight.RANGE, Weight.LOGARITHM)
"""The weights that owe a check of their own, which imports nothing of this project."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a statement that falls, in sentences that its authors would accept.

    weight    what falls: a stated result, a printed algorithm, a step of a proof …
    what      what happens, with the numbers of the smallest counterexample; one or two sentences, Markdown.
    favour    the friendliest reading that the text admits, and the verdict under it.
    survives  what is left of the statement, or why nothing is.
    follows_from  the id of the claim that states the slip itself, where this claim falls by the same slip;
              such a finding is listed under that one.
    printed, meant  of a misprint: what stands there, and what is meant; short, in Markdown.
    answer    what the authors answered, "" as long as they have not.

    Raises ValueError for an unknown weight and an empty `what`.

    >>> Finding("constant", "the error at n = 1 is 2, twice the bound", "O(1/n) is right", "2/n").weight
    <Weight.CONSTANT: 'constant'>
    """

    weight: Weight
    what: str
    favour: str
    survives: str
    follows_from: str = ""
    printed: str = ""
    meant: str = ""
    answer: str = ""

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "weight", Weight(self.weight))
        except ValueError:
            raise ValueError(f"weight must be one of {', '.join(Weight)}, got {self.weight!r}") from None
        for name in ("what", "favour", "survives", "printed", "meant", "answer"):
            # One paragraph each: it may be written over several lines, and stands in cells of tables.
            object.__setattr__(self, name, " ".join(getattr(self, name).split()))
        if not self.what:
            raise ValueError(f"what must say what is wrong, got {self.what!r}")

    def to_json(self) -> dict[str, Any]:
        """The object "finding" of a claim in JSON documents."""
        return asdict(self) | {"weight": self.weight.value}


@dataclass(frozen=True, slots=True)
class Misprint:
    """A slip of the pen that costs no result: one line in a letter to the authors.

    place    the result and where it stands: "Lemma 2, section 3".
    printed  what stands there; Markdown.
    meant    what is meant, and how that is seen where it is not evident; Markdown.

    Raises ValueError where one of them is empty.
    """

    place: str
    printed: str
    meant: str

    def __post_init__(self) -> None:
        for name in ("place", "printed", "meant"):
            text = " ".join(getattr(self, name).split())
            if not text:
                raise ValueError(f"a misprint must have a {name}, got {getattr(self, name)!r}")
            object.__setattr__(self, name, text)


def finding_from_json(document: Mapping[str, Any] | str | None) -> Finding | None:
    """The inverse of `Finding.to_json`; a string, which version 0.4 wrote, is no finding."""
    return None if document is None or isinstance(document, str) else Finding(**document)
