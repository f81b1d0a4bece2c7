"""One step of DP-SGD by Opacus, with the claim of its own accountant.

PyTorch is large: no extra installs it, and without it this is skipped. `python -m benchmarks.wild 'opacus*'`
audits two releases in environments of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audits import audit_privacy
from audits.adapters import opacus_step

pytestmark = pytest.mark.filterwarnings("ignore")


def absent(first: Any, second: Any) -> bool:
    """One of the records is zero instead, which the clipped sum of gradients takes for absent."""
    return first.shape == second.shape and int((first != second).any(axis=1).sum()) == 1


def test_a_step_keeps_its_accountant_s_claim_and_not_a_quarter_of_it() -> None:
    for name in ("torch", "opacus"):
        pytest.importorskip(name, reason=f"{name} cannot be imported; no extra has it", exc_type=ImportError)
    import torch

    model = torch.nn.Linear(2, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    mechanism, claim = opacus_step(
        model,
        lambda private, batch: private(batch).sum(),
        noise_multiplier=2.0,
        max_grad_norm=1.0,
        batch_size=2,
        delta=1e-5,
    )
    assert claim(2) > claim(4) > 0.0  # half of the records are drawn
    pair = (np.eye(2), np.diag([1.0, 0.0]))
    # α = 1e-6 is the probability of a false alarm.
    options: dict[str, Any] = {"delta": 1e-5, "adjacency": absent, "alpha": 1e-6}
    kept = audit_privacy(mechanism, [pair], epsilon=claim(2), max_samples=300, **options)
    assert kept.verdict != "refuted", kept.summary()
    # Noise of scale 2 for a gradient of norm 1: at ε = 0.2 the excess of the best event is above 0.1.
    less = audit_privacy(mechanism, [pair], epsilon=0.2, max_samples=3000, **options)
    assert less.verdict == "refuted", less.summary()
