"""Proof of Theorem 5.1: with the printed lambda the term of Lemma 5.2 for phase 1 is above the bound."""

import math

n, m, d = 10**6, 10, 1
form = math.sqrt(d) / (n * math.sqrt(m)) + 1 / math.sqrt(n * m)  # in units of RG
lam = math.sqrt(d) / (n * math.sqrt(m))  # lambda R/G as printed
term = 16 / (4 * lam * (n / 2) * m)  # Lemma 5.2 for phase 1, 16G^2/(lambda_1 n_1 m), even with the factor m
print(f"the bound of Theorem 5.1 is O({form:.2e}) RG")
print(f"found: the term 16G^2/(lambda_1 n_1 m) of phase 1 is {term:.3g} RG, {term / form:.0f} times as large")
assert term / form > 1000
for k in (4, 8, 12):  # the ratio grows like sqrt(n), so that no constant helps
    form = 1 / (10.0**k * math.sqrt(m)) + 1 / math.sqrt(10.0**k * m)
    term = 8 / math.sqrt(m)
    print(f"n = 1e{k}: ratio {term / form:.3g}")
repaired = math.sqrt(d) / (n * math.sqrt(m)) + 1 / math.sqrt(n * m)
form = repaired
both = max(16 / (4 * repaired * (n / 2) * m), 4 * repaired) / form
print(f"with lambda R/G = {repaired:.2e} this term and lambda_1 R^2 are at most {both:.2f} times the bound")
assert both < 16
