"""Seeds as hashes of named axes: neither order, nor number of workers, nor backend changes a bit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import numpy as np

from claims.harness.claim import Scalar


def generator(seed: int, claim_id: str, axes: Mapping[str, Scalar], chunk: int) -> np.random.Generator:
    """The generator of one cell, from (master seed, claim id, grid point, chunk).

    >>> a = generator(0, "p/t", {"n": 2, "d": 3}, 0).integers(10**9)
    >>> a == generator(0, "p/t", {"d": 3, "n": 2}, 0).integers(10**9)
    np.True_
    """
    name = json.dumps([seed, claim_id, sorted(axes.items()), chunk], separators=(",", ":"))
    digest = hashlib.blake2b(name.encode(), digest_size=32).digest()
    return np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest, "big")))
