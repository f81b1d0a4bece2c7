"""Levy, Sun, Amin, Kale, Kulesza, Mohri and Suresh (2021): learning with user-level privacy."""

from claims import Adjacency, Paper

PAPER = Paper(
    "levy2021",
    reference="Levy, Sun, Amin, Kale, Kulesza, Mohri, Suresh (2021). Learning with User-Level Privacy. "
    "NeurIPS 34.",
    adjacency=Adjacency.REPLACE,
)
