"""A run of a program while its randomness is watched: it runs where the program's libraries are.

session     what a run draws, from which line, and what is done with it.
noise       numbers and arrays that remember which draws they are made of; torch_noise: tensors.
sources     the generators of NumPy, `random`, `secrets`, SciPy and the operating system.
tensors     the random functions of PyTorch and JAX. laws: what is known of laws meanwhile.
mechanisms  objects that add the noise themselves: `randomise`, an OpenDP measurement, `add_noise`.
run         one run: its output, or its error and line. values: outputs as plain values, and where two differ.
"""
