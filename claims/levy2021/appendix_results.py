r"""Propositions 4, 5 and 7, Corollary 6: not at hand; what stands on them is checked elsewhere.

The text at hand ends with section 5 and the references; these four results stand in appendices E.2 and F,
and the main text says only what they are for. None of them is restated here, because a statement of ours
would decide nothing about theirs. What the main text does with each of them is checked:

* Proposition 4, "standard convergence results for variations of (projected) SGD": the three methods are
  reconstructed with explicit constants (Bubeck 2014, Theorem 6.3; Kulunchakov and Mairal 2020; Davis and
  Drusvyatskiy 2019). Their steps are held exactly in method-steps, their bounds in theorem-3-convex,
  theorem-3-strongly-convex and theorem-3-nonconvex;
* Proposition 5, generalisation of a regularised minimiser "by stability": a step in the proof of Theorem 4,
  whose end is held against runs in theorem-4:feasible;
* Proposition 7, lower bounds for private Gaussian means of another paper, and Corollary 6, "estimating the
  direction of the mean with item-level privacy is hard": the end of the proof of Theorem 5. The reduction
  before it is exact in proposition-3 and proposition-6, the bound that follows is a sandwich in theorem-5.

How it is checked. Not at all: each is listed with the number of claims of this paper that hold what stands on
it, and is INCONCLUSIVE."""

from __future__ import annotations

from collections.abc import Iterator

from claims import INCONCLUSIVE, Claim, Evidence, Kind, Point, grid, undecided
from claims.levy2021 import PAPER

INSTEAD = {
    "Proposition 4": ("method-steps", "theorem-3-convex", "theorem-3-strongly-convex", "theorem-3-nonconvex"),
    "Proposition 5": ("theorem-4:feasible",),
    "Proposition 7": ("theorem-5",),
    "Corollary 6": ("proposition-3", "proposition-6", "theorem-5"),
}
"""The claims that hold what the main text does with each result."""


def check(point: Point) -> Iterator[Evidence]:
    names = INSTEAD[point.result]
    why = f"the statement is not at hand; what stands on it: {', '.join(names)}"
    yield undecided(f"claims that hold what stands on {point.result}", len(names), why)


CLAIM = Claim(
    PAPER,
    "Propositions 4, 5 and 7, Corollary 6",
    "appendices E.2 and F (not at hand)",
    name="appendix-results",
    kind=Kind.IDENTITY,
    title="Four results whose statements are not at hand",
    statement=r"Convergence of projected SGD under a stochastic first-order oracle (Proposition 4), "
    r"generalisation of regularised minimisers by stability (Proposition 5), lower bounds for private "
    r"Gaussian means (Proposition 7) and for the direction of the mean (Corollary 6); the text at hand "
    r"names them and does not state them.",
    expected=INCONCLUSIVE,
    summary="not at hand; each listed with the claims that hold what stands on it",
    check=check,
    smoke=grid(result=tuple(INSTEAD)),
    ci=grid(result=tuple(INSTEAD)),
)
