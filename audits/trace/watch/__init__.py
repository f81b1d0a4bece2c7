"""Runs a program while its randomness is watched: it runs where the program's libraries are.

Nothing here imports the rest of this project but `audits.values`, or anything but NumPy: the worker of
`audits.bridge` loads this package by its path in the Python of another release (3.8 or later).

session     what a run draws, from which line, and what is done with it.
noise       numbers and arrays that remember which draws they are made of.
sources     the generators of NumPy, `random`, `secrets`, SciPy and the operating system.
mechanisms  objects that add the noise themselves: `randomise`, an OpenDP measurement, `add_noise`.
tensors     the random functions of PyTorch and JAX.
run         one run: its output, or its error and line. values: outputs as plain values, and where two differ.
shifts      what noise must move by for a sum on D′ to be that on D; coins: other outcomes of coins.
explain     how the output on D can be that on D′. chance: whether what differs may be noise all the same.
withdraw    takes back what noise that could not be followed may explain.
rows        the rows of the ledger; derived: laws of functions of noise; report: findings and what is lost.
paths       all paths of a program of coins: the exact laws of its output.
locate      the line at which a value that differs was computed.
steps       what variables come to hold, line by line.
cause       the variables without whose difference nothing is found.
pair        record on D, replay on D′, compare.
"""

from .pair import trace_runs

__all__ = ["trace_runs"]
