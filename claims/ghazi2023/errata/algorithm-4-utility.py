"""Algorithm 4: the noise of its last phase does not depend on m, so neither does its excess risk."""

import math

from scipy.integrate import quad


def floor(n, m, epsilon=1.0, delta=0.1, constant=64):
    """E min(|Z|, 1/2) for the last noise Z: users with the loss |theta| on [-1/2, 1/2] (R = G = 1, d = 1)."""
    T = math.ceil(math.log2(n / (constant * math.log(1 / delta) / epsilon)))  # line 4
    lam = 4**T / (n * math.sqrt(m))  # lambda_T, lambda = G sqrt(d)/(R n sqrt(m))
    users = n // 2 ** (T - 1) - n // 2**T + 1  # line 12
    e = epsilon / 2  # line 3 of Algorithm 1
    d = delta / (math.exp(e) + 2)
    kappa = 1 + math.ceil(math.log(1 / d) / e)
    target = 20 * math.sqrt(math.log(T * n * m)) / (lam * users * math.sqrt(m))  # 2G, beta = 1/(nmT)
    sigma = 2 * math.sqrt(math.log(2 / d)) * 8 * kappa * target / e
    # By Anderson's inequality |c + Z| is smallest for c = 0; the answer may be cut to [-1/2, 1/2].
    inside = quad(lambda z: 2 * z * math.exp(-((z / sigma) ** 2) / 2), 0, 0.5)[0]
    return inside / (sigma * math.sqrt(2 * math.pi)) + 0.5 * math.erfc(0.5 / sigma / math.sqrt(2))


n = 10**9
for m in (1e20, 1e30, 1e40):
    form = 1 / (n * math.sqrt(m)) + 1 / math.sqrt(n * m)
    found = floor(n, m)
    print(f"m = {m:.0e}: the risk is at least {found:.4f}; the form of Theorem 5.1 is {form:.1e}")
    print(f"          the form times log(nm)^10 is {form * math.log(n * m) ** 10:.1e}")
assert floor(n, 1e40) > floor(n, 1e20) > 0.009 > 1e-24 * math.log(n * 1e40) ** 10
