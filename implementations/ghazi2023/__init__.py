"""Algorithms of Ghazi et al. (2023), "On User-Level Private Convex Optimization"; one user is replaced."""
