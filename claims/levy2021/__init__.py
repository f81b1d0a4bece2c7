"""Levy, Sun, Amin, Kale, Kulesza, Mohri and Suresh (2021): learning with user-level privacy."""

from claims import Adjacency, Misprint, Paper

PAPER = Paper(
    "levy2021",
    reference="Levy, Sun, Amin, Kale, Kulesza, Mohri, Suresh (2021). Learning with User-Level Privacy. "
    "NeurIPS 34.",
    adjacency=Adjacency.REPLACE,
    findings=(
        "theorem-4",
        "algorithm-4",
        "theorem-1-utility",
        "theorem-5:every-delta",
        "limit-fixed-n:approximate",
        "footnote-2",
        "theorem-3-convex:any-m",
        "sub-gaussian-concentration",
    ),
    misprints=(
        Misprint(
            "Algorithm 2, line 2",
            "“a d-dimensional Hadamard matrix”, which exists for d = 1, 2 and multiples of 4 only",
            "zeros appended up to a power of two: Theorem 2 then has log(2dn/γ), by the variance of the "
            "noise that is drawn",
        ),
        Misprint(
            "Theorem 2, section 3",
            "log(dn/α), with an α that is defined nowhere in it",
            "log(dn/γ), γ the probability that Algorithm 2 is given",
        ),
        Misprint("Proposition 1, section 4", "α ≥ 0, with probability greater than 1 − α", "α > 0"),
        Misprint(
            "Corollary 2, section 4",
            "n = Ω̃(√(dH/μ))",
            "n = Ω̃(√(dH/μ)/ε), which Theorem 3 has: at ε = 1/n it fails otherwise, as Theorem 4 does above",
        ),
        Misprint(
            "Theorem 5, section 5",
            "“there exists a distribution P and a loss … such that for any algorithm”",
            "that for any algorithm there are P and ℓ (“minimax” in the proof sketch): once P is fixed, the "
            "constant output argmin L(·; P) has the excess 0",
        ),
        Misprint(
            "Section 5.2, proof sketch",
            "a minimiser of length R",
            "of length R/2, as Θ has the diameter R (section 2.1): a factor 2 that Ω hides",
        ),
        Misprint(
            "Section 5.2, proof sketch",
            "Gaussian z, for which ⟨θ, z⟩ is G-Lipschitz for no G",
            "a Gaussian that is cut to a ball, as in section 2.1’s example (appendix F.2 was not at hand)",
        ),
    ),
    text="of the proceedings, main text without appendices, in November 2026; in our copy signs, bars "
    "and roots are lost in places",
)
