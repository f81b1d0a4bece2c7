"""Algorithms of Lee, Liu and Lu (2024), The power of sampling: dimension-free risk bounds in private ERM."""
