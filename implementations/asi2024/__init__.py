"""Reference implementations of asi2024 (Asi and Liu, AISTATS 2024): user-level private optimisation."""
