"""A pair of datasets: recorded on D, replayed on D′ with what D released.

pair      the driver: one report of a pair. shifts: what noise must move by for a sum on D′ to be that on D.
"""
