"""Planted bugs, one file an algorithm: each names the claims of which one must notice it."""
