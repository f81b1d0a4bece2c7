"""Mutants: the reference algorithms with one named, plausible bug each. Every audit must catch them."""
