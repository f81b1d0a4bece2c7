"""Asi and Liu (2024): user-level private stochastic convex optimisation by DP-SGD with outliers removed."""

from claims import Adjacency, Paper

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
        "theorem-4.1-privacy:no-condition",
        "lemma-4.5",
        "theorem-4.1-utility",
        "lemma-3.5-proof",
        "lemma-3.6-proof:users",
        "lemma-3.3",
        "theorem-3.2-utility",
        "lemma-4.9:distance",
        "theorem-4.11-proof",
        "lemma-4.4",
        "lemma-4.9",
        "proposition-4.10",
        "definition-2.6",
        "lemma-2.5",
        "theorem-3.2-privacy:fresh",
        "theorem-4.1-privacy:fresh",
    ),
)
