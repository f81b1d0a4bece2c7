"""Programs in PyTorch that keep their claim in `cases.csv`; they are skipped where it is missing."""

import numpy as np
import torch

AGES = np.array([12.0, 35, 47, 51, 60, 8, 77, 90])
REPLACED = [(AGES, np.array([12.0, 35, 47, 51, 60, 8, 77, 3]))]
POINTS = np.array([[0.1, 0.2], [0.15, 0.1], [0.8, 0.9], [0.9, 0.7], [0.5, 0.4], [0.0, 1.0]])
ROWS = [(POINTS, POINTS[:-1]), (POINTS, POINTS[1:])]


def laplace_of_distributions(data):
    mean = torch.tensor(data).clamp(0, 100).mean()
    return (mean + torch.distributions.Laplace(0.0, 100 / len(data)).sample()).item()


def dp_sgd_in_torch(data, *, rate=0.5, sigma=3.0):
    rows = torch.tensor(data, dtype=torch.float32)
    model = torch.nn.Linear(1, 1)
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    for _ in range(4):
        batch = rows[torch.rand(len(rows)) < rate]
        total = [torch.zeros_like(p) for p in model.parameters()]
        for row in batch:
            loss = (model(row[:1]) - row[1:]).pow(2).sum()
            gradients = torch.autograd.grad(loss, list(model.parameters()))
            norm = torch.sqrt(sum(g.pow(2).sum() for g in gradients))
            for t, g in zip(total, gradients):
                t += g / norm.clamp(min=1.0)
        with torch.no_grad():
            for p, t in zip(model.parameters(), total):
                p -= 0.1 * (t + sigma * torch.randn_like(t))
    return [p.detach().numpy() for p in model.parameters()]
