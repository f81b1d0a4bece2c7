"""privateAB 0.0.2: reports of one user under local privacy. The discrete noise is whole; √k may not be."""

import torch
from privateAB.client import client

from audits import each

torch.set_num_threads(1)


def _client(method, items):
    """A mechanism that releases the report of the one user in the data."""

    def release(data, rng):
        report = client().release_private(method, torch.tensor(data), items, 1.0, torch.device("cpu"))
        return report[0].numpy()

    return each(release)


discrete, discrete_square = _client("disclapu", 3), _client("disclapu", 4)
laplace, response, flips = _client("lapu", 3), _client("genrr", 3), _client("bitflip", 3)
pairs = [([0], [1])]
