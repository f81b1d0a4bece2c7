"""Algorithms of Levy et al. (2021), "Learning with User-Level Privacy"; adjacency: one whole user replaced."""
