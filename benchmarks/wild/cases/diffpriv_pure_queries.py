"""diffpriv-pure 0.1.0: the noise of the count is never negative; that of sum and mean is Laplace."""

from diffpriv_pure import private_count, private_mean, private_sum

from audits import each

count = each(lambda data, rng: private_count(len(data), 1.0))
total = each(lambda data, rng: private_sum(data, (0.0, 1.0), 1.0))
average = each(lambda data, rng: private_mean(data, (0.0, 1.0), 1.0))
_PEOPLE = [1.0, 0.2, 0.4, 0.6, 0.8]
_MOVED = [(_PEOPLE, [0.0, *_PEOPLE[1:]])]
pairs = {"count": [(_PEOPLE, _PEOPLE[1:])], "total": _MOVED, "average": _MOVED}
