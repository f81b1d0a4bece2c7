"""dpmm 0.1.9: a synthetic table of two categories, with the domain given."""

import numpy as np
import pandas as pd
from dpmm.pipelines import PrivBayesPipeline

from audits import each, unseeded

DOMAIN = {"a": {"categories": ["x", "y", "z"]}, "b": {"categories": ["u", "v"]}}


def bayes_of(data):
    table = pd.DataFrame(np.asarray(data).tolist(), columns=["a", "b"])
    for name, said in DOMAIN.items():
        table[name] = pd.Categorical(table[name], categories=said["categories"])
    pipeline = PrivBayesPipeline(epsilon=1.0, delta=1e-5, n_jobs=1, gen_kwargs={"n_iters": 50})
    pipeline.fit(table, domain=DOMAIN)
    return pipeline.generate(n_records=20).astype(str).to_numpy().tolist()


bayes = unseeded(each(bayes_of))
_TABLE = np.array([["x", "u"], ["x", "v"], ["y", "u"], ["y", "v"], ["z", "u"], ["z", "v"]] * 4)
pairs = [(_TABLE, _TABLE[1:])]
