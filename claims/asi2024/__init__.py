"""Asi and Liu (2024): user-level private stochastic convex optimisation by DP-SGD with outliers removed."""

from claims import Adjacency, Misprint, Paper

PAPER = Paper(
    "asi2024",
    reference="Asi, Liu (2024). User-level Differentially Private Stochastic Convex Optimization: Efficient "
    "Algorithms with Optimal Rates. AISTATS.",
    adjacency=Adjacency.REPLACE,
    findings=(
        "lemma-3.6",
        "theorem-3.2-privacy",
        "lemma-3.7",
        "lemma-3.6-proof:noise",
        "theorem-4.1-utility-sum:failure",
        "lemma-3.6-proof:conditioning",
        "theorem-4.1-privacy:no-condition",
        "lemma-4.5",
        "theorem-4.1-utility",
        "lemma-3.5-proof",
        "lemma-3.3",
        "theorem-3.2-utility",
        "lemma-4.9",
        "lemma-4.6",
        "lemma-4.4",
        "theorem-4.11-proof",
    ),
    misprints=(
        Misprint("Section 1.1, twice", "n ≤ log(d)/ε and n ≤ log(T)/ε", "≥, as in Table 1 and Theorem 4.1"),
        Misprint(
            "Lemma 2.5, section 2.2",
            r"$\hat\ell\le\ell\le\hat\ell+Gr$",
            r"$\ell\le\hat\ell\le\ell+Gr$: for $G|\theta|$ on the line $\hat\ell(0)=Gr/2$; the proof of "
            r"Theorem 4.1 uses $|\hat\ell-\ell|\le Gr$ only",
        ),
        Misprint(
            "Definition 2.6, section 2.3",
            r"for all $t\in\mathbb R$",
            r"for all $t\ge0$: at $t=-2\sigma$ the left is 1 for every vector, the right 0.27",
        ),
        Misprint(
            "Algorithm 1, line 5, and Algorithm 2, line 4",
            "calls inside the loop, which may be read as a new run of AboveThreshold, and of Algorithm 1, at "
            "each query",
            r"one run for all $T$ queries, as in the proof of Lemma 3.6 and in the variance of appendix C.4; "
            r"otherwise $T$ runs compose",
        ),
        Misprint(
            "Lemma 3.4, appendix B.2",
            r"$X_i=1$ if $x_i=y_i$",
            r"if $x_i\ne y_i$, as the next line has $\mathbb E[X_i]=|p_i-p_i'|$",
        ),
        Misprint(
            "Appendix B.4, with the display of $E$ in section 3",
            r"$a_j=\bot$ for all $j\ge i$ after a halt at $i$, and a score of at most $4n/5+\alpha$ for all "
            r"$a_i=\bot$",
            r"the second for the first $\bot$ only, as in Lemma 2.4",
        ),
        Misprint(
            "Lemma 3.6",
            r"$n\ge40\log(4T/\delta)/\varepsilon$",
            r"$40\log(4T(e^\varepsilon+1+T)/\delta)/\varepsilon$, as its proof uses Lemma 3.5 with $\zeta'$: "
            r"805 users for 700 at $T=10$, $\varepsilon=1$, $\delta=10^{-6}$",
        ),
        Misprint(
            "Appendix B.4, the step from $E$ to $E'$",
            r"$e^{\varepsilon/2}\zeta'$ for each $b$",
            r"$e^{\varepsilon/2}\Pr[\{a_i'\}=b,\neg E']$, which adds up to $e^{\varepsilon/2}\zeta'$ over "
            r"all $b$, as "
            "the last display has it",
        ),
        Misprint(
            "Theorem 4.1, section 4",
            r"$T=O(m^2n^2+mn\sqrt d)$, and $\log^2(mnd/\delta)$ in $\eta$",
            r"$\Theta(\cdot)$, since $O(\cdot)$ allows $T=1$, and $\log^2(Tmnd/\delta)$, as appendix C.4 "
            r"has it",
        ),
        Misprint(
            "Appendix C.4",
            r"the variance of the answers without that of the smoothing points $y_j$",
            r"at most $G^2/(nm)$ more, which adds $\eta G^2/(nm)\le GR/(T\sqrt{nm})$ and harms nothing",
        ),
        Misprint(
            "Lemma 4.9, section 4",
            "a total variation on the left, which no length bounds: it does not depend on η",
            r"the distance of the iterates under equal noise, which its proof bounds and the proof of "
            r"Theorem 4.1 multiplies by $G$",
        ),
        Misprint(
            "Proposition 4.10, section 4",
            r"$\mathbb E\|x_0-x^*\|\le R^2$, and in part 2 step size $\eta$",
            r"$\mathbb E\|x_0-x^*\|^2\le R^2$, and step size $1/(\beta+1/\eta)$, as in the cited theorem, or "
            r"$\eta\le1/\beta$, as in Theorem 4.1: gradient descent on $\beta x^2/2$ diverges for "
            r"$\eta>2/\beta$",
        ),
    ),
    text="of PMLR 238 (AISTATS 2024), with appendices A to C",
)
