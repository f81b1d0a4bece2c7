"""Levy, Sun, Amin, Kale, Kulesza, Mohri and Suresh (2021): learning with user-level privacy."""

from claims import Adjacency, Paper

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
        "corollary-2:printed-users",
        "theorem-5:order",
    ),
)
