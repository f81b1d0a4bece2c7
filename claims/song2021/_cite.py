"""Where the results of Song et al. 2021 are printed."""

from __future__ import annotations

from claims.harness.claim import Source

_REFERENCE = (
    "S. Song, T. Steinke, O. Thakkar, A. Thakurta: Evading the Curse of Dimensionality in Unconstrained "
    "Private "
    "GLMs. AISTATS 2021, PMLR 130:2638–2646"
)


def cite(result: str, place: str) -> Source:
    """The source of one result: its number and the section that it stands in."""
    return Source(paper="song2021", result=result, place=place, reference=_REFERENCE)
