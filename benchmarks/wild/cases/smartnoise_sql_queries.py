"""SmartNoise SQL 1.0.10: a count, a sum and an average of a table of one row a user."""

import pandas as pd
import snsql
from snsql import Privacy

from audits import each, unseeded

METADATA = {
    "": {
        "s": {
            "t": {
                "row_privacy": True,
                "censor_dims": False,
                "rows": 5,
                "x": {"type": "float", "lower": 0.0, "upper": 10.0, "nullable": False},
            }
        }
    }
}


def asked(data, query):
    table = pd.DataFrame({"x": [float(x) for x in data]})
    privacy = Privacy(epsilon=1.0, delta=1e-5)
    reader = snsql.from_df(table, privacy=privacy, metadata=METADATA)
    return float(reader.execute(query)[1][0])


def number_of(data):
    return asked(data, "SELECT COUNT(*) AS n FROM s.t")


def total_of(data):
    return asked(data, "SELECT SUM(x) AS total FROM s.t")


number, total = unseeded(each(number_of)), unseeded(each(total_of))
_FIVE = [10.0, 2.0, 4.0, 6.0, 8.0]
pairs = [(_FIVE, _FIVE[1:])]
