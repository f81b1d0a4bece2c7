"""OpenDP 0.16.0: measurements, the claim is each one's own map.

The loss that the map gives is checked to be the claim when the file is loaded.
"""

import math

import numpy as np
import opendp.prelude as dp

from audits import unseeded

dp.enable_features("contrib", "honest-but-curious")


def adjacency(first, second):
    """Numbers that differ by at most 1; vectors that differ by at most 1 in the norm of the measurement."""
    first, second = np.atleast_1d(first), np.atleast_1d(second)
    return float(np.abs(first - second).sum()) <= 1.0 or (
        len(first) == 4 and float(np.abs(first - second).max()) <= 1.0
    )


def repeated(measurement, distance, claim=1.0, delta=None, kind=None):
    loss = measurement.map(distance)
    loss = loss if delta is None else loss.epsilon(delta)
    assert loss <= claim * (1 + 1e-6), (measurement, loss)

    def mechanism(data, size):
        value = data.tolist() if isinstance(data, np.ndarray) else data
        return [measurement(value) for _ in range(size)]

    return unseeded(mechanism)


def scale_for(make, distance, delta=None):
    """The least scale whose map keeps within 1."""

    def loss(scale):
        found = make(scale).map(distance)
        return found if delta is None else found.epsilon(delta)

    low, high = 1e-3, 1e3
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if loss(middle) <= 1.0 else (middle, high)
    return high


def lazily(build):
    """Built at the first call: a constructor that a version lacks must not fail the others."""
    made = []

    def mechanism(data, size):
        if not made:
            made.append(build())
        return made[0](data, size, None)

    return unseeded(mechanism)


number = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
integer = dp.atom_domain(T=int), dp.absolute_distance(T=int)


def approximate(space):
    def make(scale):
        return dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale))

    return lambda: repeated(make(scale_for(make, 1 if space is integer else 1.0, 0.01)), 1, delta=0.01)


laplace_int = lazily(lambda: repeated(dp.m.make_laplace(*integer, 1.0), 1))
laplace_float = lazily(lambda: repeated(dp.m.make_laplace(*number, 1.0 + 1e-9), 1.0))
laplace_vector = lazily(
    lambda: repeated(
        dp.m.make_laplace(
            dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float), 1.0 + 1e-9
        ),
        1.0,
    )
)
geometric = lazily(lambda: repeated(dp.m.make_geometric(*integer, 1.0, bounds=(0, 3)), 1))
gaussian, gaussian_int = lazily(approximate(number)), lazily(approximate(integer))
_RESPONSE = math.e / (math.e + 2)
response = lazily(lambda: repeated(dp.m.make_randomized_response(["a", "b", "c"], _RESPONSE - 1e-9), 1))
response_bool = lazily(lambda: repeated(dp.m.make_randomized_response_bool(math.e / (math.e + 1) - 1e-9), 1))
scores = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
noisy_max = lazily(lambda: repeated(dp.m.make_noisy_max(*scores, dp.max_divergence(), 2.0), 1.0))
top_two = lazily(lambda: repeated(dp.m.make_noisy_top_k(*scores, dp.max_divergence(), k=2, scale=4.0), 1.0))
canonical = lazily(lambda: canonical_noise())
table = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()


def canonical_noise():
    measurement = dp.m.make_canonical_noise(*number, d_in=1.0, d_out=(1.0, 0.01))
    return unseeded(lambda data, size: [measurement(data) for _ in range(size)])


def counted():
    counting = dp.t.make_count(*table)
    return repeated(counting >> dp.m.then_laplace(1.0), 1)


def summed():
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    return repeated(space >> dp.t.then_clamp((0, 10)) >> dp.t.then_sum() >> dp.m.then_laplace(10.0), 1)


def averaged():
    space = (
        dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False), size=5),
        dp.symmetric_distance(),
    )
    chain = space >> dp.t.then_mean()
    scale = scale_for(lambda s: chain >> dp.m.then_laplace(s), 2)
    return repeated(chain >> dp.m.then_laplace(scale), 2)


def counted_by():
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counting = dp.t.make_count_by_categories(*space, ["a", "b"], MO=dp.L1Distance[int])
    return repeated(counting >> dp.m.then_laplace(1.0), 1)


count, sum, mean, count_by = lazily(counted), lazily(summed), lazily(averaged), lazily(counted_by)

_NUMBERS, _MIXED = [(0.0, 1.0)], [0.0, 0.0, 1.0, 1.0]
pairs = dict.fromkeys(globals(), _NUMBERS)  # of every function that is not named below
pairs.update(
    laplace_int=[(0, 1)],
    geometric=[(0, 1), (1, 2)],
    gaussian_int=[(0, 1)],
    laplace_vector=[([0.0, 0.0, 0.0], [1.0, 0.0, 0.0])],
    response=[(["a"], ["b"])],
    response_bool=[([True], [False])],
    noisy_max=[([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0])],
    top_two=[([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0])],
    count=[(_MIXED + [1.0], _MIXED)],
    sum=[([10, 0, 0], [0, 0]), ([99, 0, 0], [0, 0])],
    mean=[([1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0])],
    count_by=[(["a", "b", "a"], ["a", "b"]), (["a", "b", "z"], ["a", "b"])],
)
for _name in ("response", "response_bool"):
    globals()[_name] = (lambda inner: unseeded(lambda data, size: inner(data[0], size, None)))(
        globals()[_name]
    )
