"""Section 5: clipping can remove the minimum. Losses 10·max(z, 0), -z, -z, -z with x = 1, norm B = 1."""

from fractions import Fraction as F


def slope(theta, clip):
    """Slope of the average at θ ≠ 0, each of the four slopes clipped to [-clip, clip]."""
    slopes = [F(10) if theta > 0 else F(0), F(-1), F(-1), F(-1)]
    return sum(max(-clip, min(clip, s)) for s in slopes) / 4


free, clipped = [[slope(theta, clip) for theta in (-1, 1)] for clip in (F(100), F(1))]
print("stated: for all B the convergence is to the minimum of a well-defined convex objective")
print(f"found:  slopes of L left and right of 0: {free[0]}, {free[1]}: a minimum at 0")
print(f"        slopes of L_clipped:             {clipped[0]}, {clipped[1]}: it falls for ever")
assert free[0] < 0 < free[1]
assert max(clipped) < 0
