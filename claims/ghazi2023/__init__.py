"""Ghazi, Kamath, Kumar, Meka, Manurangsi and Zhang (2023): private convex optimisation for whole users."""

from claims import Adjacency, Paper

PAPER = Paper(
    "ghazi2023",
    reference="B. Ghazi, P. Kamath, R. Kumar, R. Meka, P. Manurangsi, C. Zhang: On User-Level Private "
    "Convex Optimization. ICML 2023",
    adjacency=Adjacency.REPLACE,
)
