"""nvflare 2.0.2, SVTPrivacy: accepted weights that are not drawn for release leave without noise.

`accepted` is cut down to the number to release, but only what was never accepted is set to 0. The claim here
is the sum of the three budgets of the filter's own comments, the last for each released weight.
"""

import numpy as np

float = float  # the release uses a name that NumPy has dropped since

from nvflare.apis.dxo import DXO, DataKind  # noqa: E402
from nvflare.apis.fl_context import FLContext  # noqa: E402
from nvflare.app_common.filters.svt_privacy import SVTPrivacy  # noqa: E402

from audits import each  # noqa: E402

GAMMA = 1.0


def adjacency(first, second):
    """One weight differs, within the clipping bound."""
    first, second = np.asarray(first), np.asarray(second)
    return int((first != second).sum()) == 1 and max(abs(first).max(), abs(second).max()) <= GAMMA


def one(data, rng):
    # ε₁ + ε₂ + 2ε₃ = 0.1 + 0.1·4^(2/3) + 2·0.3 < 1.
    svt = SVTPrivacy(fraction=0.5, epsilon=0.1, noise_var=0.3, gamma=GAMMA, tau=0.1)
    shareable = DXO(DataKind.WEIGHT_DIFF, data={"w": np.array(data)}).to_shareable()
    return svt.process(shareable, FLContext())["DXO"]["data"]["w"]


filtered = each(one)
pairs = [(np.array([1.0, 0.5, 0.5, 0.5]), np.array([0.0, 0.5, 0.5, 0.5]))]
