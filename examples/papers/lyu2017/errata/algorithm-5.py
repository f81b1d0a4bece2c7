"""Algorithm 5, T = 0: queries (0, 1) on D and (1, 0) on D′; ⊥⊤ by drawing the noise."""

import numpy as np

EPSILON, RUNS = 1.0, 1_000_000
rho = np.random.default_rng(0).laplace(scale=2.0 / EPSILON, size=RUNS)


def below_then_above(first, second):
    return int(((first < rho) & (second >= rho)).sum())


on_first, on_second = below_then_above(0, 1), below_then_above(1, 0)
exact = (1.0 - np.exp(-EPSILON / 2.0)) / 2.0
print(f"stated: P(⊥⊤ on D) ≤ e^ε·P(⊥⊤ on D′), and on D′ ⊥⊤ needs 1 < ρ ≤ 0: it came {on_second} times")
print(f"found:  on D {on_first / RUNS:.4f} of {RUNS:,} runs, exactly {exact:.4f}")
assert on_second == 0
assert abs(on_first / RUNS - exact) < 0.002
