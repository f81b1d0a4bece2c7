"""Step (17) of Lee, Liu and Lu (2024) in the l1 norm, on the plane x1 + x2 + x3 = 0.

The point (1, 0, 0) is at distance 1 of three points of the plane; is any point of the plane as near to
all?"""

import numpy as np
from scipy.optimize import linprog

near = np.array([[0.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, 0.0, -1.0]])
print("distances of (1, 0, 0):", np.abs(np.array([1.0, 0.0, 0.0]) - near).sum(axis=1))
rows, right = [], []  # variables: y (3), e (9) with |y_j - a_ij| <= e_ij, and v with sum_j e_ij <= v
for i in range(3):
    for j in range(3):
        for sign in (1.0, -1.0):
            row = np.zeros(13)
            row[j], row[3 + 3 * i + j] = sign, -1.0
            rows.append(row)
            right.append(sign * near[i, j])
    row = np.zeros(13)
    row[3 + 3 * i : 6 + 3 * i], row[12] = 1.0, -1.0
    rows.append(row)
    right.append(0.0)
plane, cost = np.array([[1.0] * 3 + [0.0] * 10]), np.eye(13)[12]
best = linprog(cost, rows, right, plane, [0.0], [(None, None)] * 3 + [(0.0, None)] * 10)
print(f"the least, over the plane, of the largest distance to the three: {best.fun:.4f}")
assert best["fun"] > 1.3
