r"""Theorem D.5: clipping each class's block separately gives no gradient field either.

x ≠ 0, K ≥ 3 classes, B > 0 such that Θ = {θ : ‖∇_{θ⁽ᵏ⁾}ℓ(θ; (x, y))‖ > B for some k} is not empty, G the
gradient with every block clipped to norm B. No f : C → ℝ with Θ ⊆ C that is differentiable off a set C_N ⊂
C, closed in C and of measure zero, has ∇f = G on C° \ C_N (Song et al. 2021, appendix D.3.1).

How it is checked. As Theorem 5.3, exactly on rational E = exp(logits). The field is curl-free where all
blocks are clipped; it is not where class 1 is clipped and another class is not. For K ≥ 3 and b = B/‖x‖ < 1
that set is open and never empty, E = (1, …, 1, N) with N large, and Θ ⊆ C puts it into C°. The hypothesis
matters: with Theorem 5.3's C° ∩ Θ ≠ ∅ in its place the statement would fall wherever b < 1/(K − 1), with C a
ball in which all classes are clipped and f linear (reported as context). Θ is empty exactly for b ≥ 1.
Control: K = 2 has no curl.
"""

from __future__ import annotations

from functools import partial

from claims import CONFIRMED, Claim, Kind
from claims.song2021 import PAPER
from claims.song2021.theorem_5_3 import check, points_of

CLAIM = Claim(
    PAPER,
    "Theorem D.5",
    "appendix D.3.1",
    kind=Kind.IDENTITY,
    title="Per-class clipping does not help",
    uses={"theorem-5.3": "the same argument"},
    statement=r"$x\ne0$, $K\ge3$, $B>0$ with "
    r"$\Theta=\{\theta:\|\nabla_{\theta^{(k)}}\ell(\theta;(x,y))\|_2>B$ for some $k\}\ne\emptyset$ (i.e. "
    r"$B<\|x\|_2$), $G$ the gradient with every block clipped to $B$. No $f:C\to\mathbb R$, "
    r"$\Theta\subseteq C$, differentiable off a set $C_N$ that is closed in $C$ and of measure zero, has "
    r"$\nabla f=G$ on $C^\circ\setminus C_N$.",
    expected=CONFIRMED,
    check=partial(check, per_class=True),
    smoke=points_of([2, 3], ["1/10", "3/5"], 6, 20),
    ci=points_of([2, 3, 4, 5], ["1/100", "1/4", "3/5", "19/20"], 8, 150),
    full=points_of([2, 3, 4, 5, 6], ["1/100", "1/10", "1/4", "1/2", "3/5", "9/10", "19/20"], 20, 2_000),
)
