"""Transformations and measurements of Tumult Core by their constructors; no fault of them is documented."""

from pyspark.sql import SparkSession
from tmlt.core.domains import numpy_domains, pandas_domains, spark_domains
from tmlt.core.measurements import noise_mechanisms as noise
from tmlt.core.measurements.pandas_measurements.series import AddNoiseToSeries, NoisyQuantile
from tmlt.core.measures import PureDP
from tmlt.core.metrics import HammingDistance, IfGroupedBy, SymmetricDifference
from tmlt.core.transformations.spark_transformations import agg, filter, select, truncation

SETTINGS = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1"}
builder = SparkSession.builder.master("local[1]")
for setting, value in SETTINGS.items():
    builder = builder.config(setting, value)
builder.getOrCreate().sparkContext.setLogLevel("OFF")

FAULTS = {}
text, whole = spark_domains.SparkStringColumnDescriptor(), spark_domains.SparkIntegerColumnDescriptor()
frames = spark_domains.SparkDataFrameDomain({"B": whole, "A": text})
real, symmetric = numpy_domains.NumpyFloatDomain(), SymmetricDifference()
by_a = IfGroupedBy(["A"], symmetric)
numbers = pandas_domains.PandasSeriesDomain(numpy_domains.NumpyIntegerDomain())
SOUND = {
    "tumult_laplace": lambda: noise.AddLaplaceNoise(real, 2),
    "tumult_geometric": lambda: noise.AddGeometricNoise(1),
    "tumult_discrete_gaussian": lambda: noise.AddDiscreteGaussianNoise(4),
    "tumult_gaussian": lambda: noise.AddGaussianNoise(real, 4),
    "tumult_series": lambda: AddNoiseToSeries(noise.AddGeometricNoise(1)),
    "tumult_series_gaussian": lambda: AddNoiseToSeries(noise.AddDiscreteGaussianNoise(4)),
    "tumult_quantile": lambda: NoisyQuantile(numbers, PureDP(), 0.5, 0, 10, 1),
    "tumult_count": lambda: agg.Count(frames, symmetric),
    "tumult_count_replaced": lambda: agg.Count(frames, HammingDistance()),
    "tumult_count_distinct": lambda: agg.CountDistinct(frames, symmetric),
    "tumult_sum": lambda: agg.Sum(frames, symmetric, "B", -2, 10),
    "tumult_sum_replaced": lambda: agg.Sum(frames, HammingDistance(), "B", -2, 10),
    "tumult_filter": lambda: filter.Filter(frames, symmetric, "B > 1"),
    "tumult_select": lambda: select.Select(frames, by_a, ["A"]),
    "tumult_limit_rows": lambda: truncation.LimitRowsPerID(frames, symmetric, ["A"], 2),
    "tumult_limit_rows_by_id": lambda: truncation.LimitRowsPerID(frames, by_a, ["A"], 2),
}
globals().update(SOUND)
