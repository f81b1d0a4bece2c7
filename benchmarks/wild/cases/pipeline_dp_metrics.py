"""PipelineDP 0.3.1: metrics of one public partition, a record a user, values clipped to [0, 1].

`numpy.clip` leaves NaN as it is: where a value is NaN the sum and the mean are NaN, whatever noise is added.
"""

import numpy as np
import pipeline_dp

from audits import each, unseeded


def metric(data, name):
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=1.0, total_delta=0.0)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    params = pipeline_dp.AggregateParams(
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        metrics=[getattr(pipeline_dp.Metrics, name)],
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=0.0,
        max_value=1.0,
    )
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: 0,
        value_extractor=lambda row: row[1],
    )
    rows = [(place, float(x)) for place, x in enumerate(data)]
    result = engine.aggregate(rows, params, extractors, public_partitions=[0])
    accountant.compute_budgets()
    return float(next(iter(result))[1][0])


def total_of(data):
    return metric(data, "SUM")


def number_of(data):
    return metric(data, "COUNT")


def average_of(data):
    return metric(data, "MEAN")


total, number, average = (unseeded(each(f)) for f in (total_of, number_of, average_of))
total_nan, average_nan = unseeded(each(total_of)), unseeded(each(average_of))
_FIVE = np.array([1.0, 0.2, 0.4, 0.6, 0.8])
_PLAIN = [(_FIVE, _FIVE[1:])]
_NAN = [(np.append(_FIVE, np.nan), _FIVE)]
pairs = {
    "total": _PLAIN,
    "number": _PLAIN,
    "average": _PLAIN,
    "total_nan": _NAN,
    "average_nan": _NAN,
}
