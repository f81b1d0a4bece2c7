"""Theorem 3 (i): HR²/T + Rσd/(n√m·ε) with n ≥ √(dT)/ε, so T ≤ n²ε²/d; log factors left out, H = R = σ = 1."""

n, d, epsilon = 10**4, 4, 1.0

steps = (n * epsilon) ** 2 / d
print(f"n = {n}, d = {d}, ε = {epsilon:g}: T ≤ {steps:g}")
for m in (10**4, 10**8, 10**12):
    noise = d / (n * m**0.5 * epsilon)
    print(f"m = {m:g}: stated cost of privacy ~ 1/√m: {noise:.3g}; found HR²/T ≥ {1 / steps:.3g} beside it")
