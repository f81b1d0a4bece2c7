"""Bugs in the reference implementations, named and mechanical, and whether the claims notice them."""
