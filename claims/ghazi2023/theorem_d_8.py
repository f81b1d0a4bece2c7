r"""Theorem D.8: private strongly convex ERM has excess empirical risk Ω((G²/μ)·d/(ε²n²m)) for √d/ε ≤ n ≤
cd/ε².

The text prints "cd/ε² ≤ n ≥ √d/ε"; the remark after it and the proof need n ≤ cd/ε², which is read here, as
is n√log n in the condition on δ (theorem-d.7). It falls as Theorem D.7 does: at d = n², ε = 1 the condition
admits δ = 1/(200√log n), and the minimiser θ_k on k = ⌊δn⌋ users at random is (0, δ)-DP. For every loss and
𝒟 its excess empirical risk is at most 8G²/(μkm): the k users and the other n − k split the empirical risk,
E L(θ_k; rest) = E L(θ_k; 𝒟) ≤ L(θ*; 𝒟) + 4G²/(μkm), L(θ_k; own) ≤ L(θ*; own), and E L(θ*(x); x) ≥ L(θ*; 𝒟)
− 4G²/(μnm) (stability of the minimiser, Shalev-Shwartz et al. 2009); so (1 − k/n)·4/(km) + 4/(nm). The
theorem asks for c·G²/(μm).

By the letter, n ≥ cd/ε², the bound is at most (c′/c)·G²/(μnm) with two hidden constants, and nothing here
contradicts it for every choice of them.

What survives. For δ as in theorem-d.7:corrected the text's own steps give the bound from that theorem;
nothing more is checked here.

How it is checked. For constants down to 10⁻⁹, n so large that the risk of that mechanism lies below the
claimed one, with every hypothesis evaluated.
"""

from __future__ import annotations

from functools import partial

from claims import REFUTED, Claim, Finding, Kind, Weight, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023.theorem_d_7 import falls

CLAIM = Claim(
    PAPER,
    "Theorem D.8",
    "appendix D.2",
    kind=Kind.LOWER_BOUND,
    title="Lower bound for private strongly convex ERM",
    statement=r"For some $c>0$ and all large $d,n,m$ with $\sqrt d/\varepsilon\le n\le cd/\varepsilon^2$, "
    r"$\delta\le\sqrt d/(200\sqrt{n\sqrt{\log n}})$: for some $\mu$-strongly convex $G$-Lipschitz loss every "
    r"$(\varepsilon,\delta)$-DP algorithm has excess empirical risk at least "
    r"$c\frac{G^2}\mu\frac d{\varepsilon^2n^2m}$ on some $\mathcal D$.",
    uses={"lemma-d.6": "", "theorem-d.7": "its instance"},
    expected=REFUTED,
    finding=Finding(
        Weight.THEOREM,
        what=(
            "It falls as Theorem D.7 does, with n√log n for √(n√log n) in the condition as well: the "
            "minimiser on δn users at random, δ = 1/(200√log n), is (0, δ)-DP with excess empirical risk "
            "at most 8G²/(μδnm), where at d = n², ε = 1 the theorem asks for cG²/(μm). (The range is "
            "printed as cd/ε² ≤ n; n ≤ cd/ε² is meant, by the remark after the theorem.)"
        ),
        favour="For δ of the order 1/n the text's own steps give it from the corrected Theorem D.7.",
        survives="The lower bound for δ of the order 1/n, in the range √d/ε ≤ n ≤ cd/ε².",
        follows_from="ghazi2023/theorem-d.4",
    ),
    check=partial(falls, True),
    smoke=grid(constant=(1.0, 1e-6)),
    ci=grid(constant=(1.0, 1e-3, 1e-6, 1e-9)),
)
