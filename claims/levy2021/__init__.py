"""Claims of Levy et al. (2021), "Learning with User-Level Privacy". Adjacency: one whole user replaced."""
