"""Proof of Theorem 3.6: the gradient at the optimum is not zero where the optimum is on the boundary."""

from fractions import Fraction as F

signs = [F(1), F(-1)] * 3  # n = 3 users of m = 2 items, loss (theta - x)^2/2, mu = 1
low, high = F(-55, 100), F(-5, 100)  # the set
mean = sum(signs) / len(signs)
best = min(max(mean, low), high)
gradient = sum(best - x for x in signs) / len(signs)
print("the proof has gradient 0 at the optimum, whatever the set")
print(f"found: the optimum of signs on [{low}, {high}] is {best}, the gradient there {gradient}")
assert best == high
assert gradient == F(-5, 100)

# The step that survives: with v the gradient at the optimum, deleting one user moves the optimum by at most
# |mean of her gradients - v|/(mu(n - 1)).
n, m = 3, 2
for a in range(6):
    for b in range(a):
        rest = [x for k, x in enumerate(signs) if k not in (a, b)]
        moved = min(max(sum(rest) / len(rest), low), high)
        own = ((best - signs[a]) + (best - signs[b])) / m
        assert abs(best - moved) <= abs(own - gradient) / (n - 1)
print("with gradients about their mean the bound of the move holds for every user of two items")
