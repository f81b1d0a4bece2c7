"""DataSynthesizer: the noisy table of counts from which PrivBayes takes its conditional distributions.

0.1.4 takes the noise for frequencies and adds it to counts, n times too little. 0.1.13 lists the cells up to
the largest value that the data have: a record with a new value brings new cells.
"""

import numpy as np
import pandas as pd
from DataSynthesizer.lib import PrivBayes

from audits import each


def release(data, rng):
    frame = pd.DataFrame(data, columns=["a", "b"])
    table = PrivBayes.get_noisy_distribution_of_attributes(["a", "b"], frame, epsilon=1.0)
    return [float(count) for count in table["count"]]


counts = each(release)
new_cell = counts
_D = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [0, 0], [1, 0], [0, 1]])
pairs = {
    "counts": [(np.vstack([_D, [[1, 1]]]), _D)],
    "new_cell": [(np.vstack([_D, [[2, 1]]]), _D)],
}
