"""Opacus: one step of DP-SGD on a linear model of 40 weights; the claim is its own accountant's.

The gradient is divided by a batch size that is computed from the number of records, n·(1/⌈n/b⌉) rounded down:
3 records in batches of 2 are divided by 1, 2 by 2, and the noise with it. With 40 weights its size is plain.
Both the accountant and the case take δ = 10⁻⁵; where n is 2 the loader has one batch and the rate is 1.
"""

import warnings

import numpy as np
import torch
from opacus import PrivacyEngine

from audits import each

warnings.simplefilter("ignore")
torch.set_num_threads(1)

NOISE = 5.0


def adjacency(first, second):
    """One of the records is zero instead: to the clipped sum that is as if it were absent."""
    first, second = np.asarray(first), np.asarray(second)
    return first.shape == second.shape and int((first != second).any(axis=1).sum()) == 1


def claim():
    from opacus.accountants import RDPAccountant

    accountant = RDPAccountant()
    accountant.step(noise_multiplier=NOISE, sample_rate=1.0)
    return accountant.get_epsilon(delta=1e-5)


assert claim() <= 1.5, claim()


def one_step(data, rng):
    features = torch.as_tensor(np.array(data), dtype=torch.float32)
    model = torch.nn.Linear(features.shape[1], 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(features), batch_size=2)
    model, optimiser, loader = PrivacyEngine().make_private(
        module=model, optimizer=optimiser, data_loader=loader, noise_multiplier=NOISE, max_grad_norm=1.0
    )
    for (batch,) in loader:
        optimiser.zero_grad()
        model(batch).sum().backward()
        optimiser.step()
        break
    return next(iter(model.parameters())).detach().numpy().ravel().astype(float)


step, replaced = each(one_step), each(one_step)
_TWO = np.eye(2, 40)
pairs = {
    "step": [(np.vstack([_TWO, np.eye(1, 40, k=5)]), _TWO)],
    "replaced": [(np.eye(2, 4), np.diag([1.0, 0.0])[:, [0, 1, 1, 1]] * [1, 0, 0, 0])],
}
