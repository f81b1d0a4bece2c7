"""Runs a program while its randomness is watched: it runs where the program's libraries are.

Nothing here imports the rest of this project, or anything but NumPy: the worker of `audits.bridge` loads this
package by its path in the Python of another release (3.8 or later).

session     what a run draws, from which line, and what is done with it.
noise       numbers and arrays that remember which draws they are made of.
sources     the generators of NumPy, `random`, `secrets`, SciPy and the operating system.
mechanisms  objects that add the noise themselves: `randomise`, an OpenDP measurement, `add_noise`.
pair        record on D, replay on D′, compare.
"""

from .pair import trace_runs

__all__ = ["trace_runs"]
