"""Algorithms of Levy et al. (2021), "Learning with User-Level Privacy"; one whole user is replaced."""
