"""PyTorch in one thread, without recording gradients (no input asks for one)."""
import math

import torch

torch.set_num_threads(1)
library = torch
prefix = "torch"


def filled(shape, factor):
    values = (torch.arange(math.prod(shape), dtype=torch.int64) * factor) & 4095
    return (values.to(torch.float32) / 1024 - 2).reshape(shape)


def zeros(shape):
    return torch.zeros(shape, dtype=torch.float32)
