"""Asi and Liu (2024): user-level private stochastic convex optimisation by DP-SGD with outliers removed."""

from claims import Adjacency, Paper

PAPER = Paper(
    "asi2024",
    reference="Asi, Liu (2024). User-level Differentially Private Stochastic Convex Optimization: Efficient "
    "Algorithms with Optimal Rates. AISTATS.",
    adjacency=Adjacency.REPLACE,
)
