"""Programs in PyTorch that break their claim, at the lines marked `# leak`; skipped where it is missing."""

import numpy as np
import torch

LINES = np.array([[1.0, -1.0]] * 7 + [[1.0, -2.0]])
REGRESSION = [(LINES, np.vstack([LINES[:-1], [[1.0, 100.0]]]))]
CITIES = [(np.array([0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1]))]


def gradient_of_the_batch_clipped(data, *, sigma=3.75):
    rows = torch.tensor(data, dtype=torch.float32)
    weight = torch.nn.Parameter(torch.zeros(1))
    loss = (rows[:, 0] * weight - rows[:, 1]).pow(2).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_([weight], 1.0)  # leak
    weight.grad += 2 * sigma / len(rows) * torch.randn(1)  # leak
    return weight.grad.item()


def sampled_by_frequency(data):
    frequencies = torch.bincount(torch.tensor(data), minlength=3).float()
    return torch.multinomial(frequencies, 10, replacement=True).tolist()  # leak
