"""Records how PyTorch trains: the losses of 30 steps of small networks in float64, which trajectories.test.ts must repeat.
Parameters, by name in order, and data are waves, so that both sides start from the same numbers without a file of weights.
Run it in this folder: python3 record_trajectories.py > trajectories.json (PyTorch 1.13)."""
import json
import torch
from torch import nn

torch.set_default_dtype(torch.float64)


def wave(shape, start):
    size = torch.Size(shape).numel()
    return (0.4 * torch.sin(start + 0.7 * torch.arange(size))).reshape(shape)


def start(model):
    with torch.no_grad():
        for k, (_, p) in enumerate(sorted(model.named_parameters())):
            p.copy_(wave(p.shape, 1 + 13 * k))
    return model


def losses(model, optimizer, loss, schedule=None, clip=None):
    found = []
    for _ in range(30):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        if schedule:
            schedule.step()
        found.append(value.item())
    return found


class Reader(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.reader = kind(4, 6, batch_first=True, **options)
        self.out = nn.Linear(12 if options else 6, 1)

    def forward(self, x):
        return self.out(self.reader(x)[0][:, -1])


class Encoder(nn.Module):
    def __init__(self, norm_first):
        super().__init__()
        self.emb = nn.Embedding(11, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0, batch_first=True, norm_first=norm_first, activation="gelu")
        self.enc = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.enc(self.emb(x), src_key_padding_mask=x == 0).mean(1))


result = {}
x, classes = 3 * wave([12, 5], 0), torch.arange(12) % 3
m = start(nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)))
o = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-3, nesterov=True)
result["mlp"] = losses(m, o, lambda: nn.functional.cross_entropy(m(x), classes, label_smoothing=0.1))
result["running"] = m[1].running_var.tolist()

series, y = 3 * wave([8, 7, 4], 0), 3 * wave([8, 1], 5)
m = start(Reader(nn.LSTM, num_layers=2, bidirectional=True))
o = torch.optim.Adam(m.parameters(), lr=0.01, amsgrad=True)
result["lstm"] = losses(m, o, lambda: nn.functional.mse_loss(m(series), y), torch.optim.lr_scheduler.StepLR(o, 10, 0.5), 0.5)
m = start(Reader(nn.GRU))
o = torch.optim.RMSprop(m.parameters(), lr=0.005, momentum=0.5, centered=True)
result["gru"] = losses(m, o, lambda: nn.functional.smooth_l1_loss(m(series), y))

words = torch.arange(48).reshape(8, 6) % 11
for name, norm_first in (("encoder", False), ("encoder, norms first", True)):
    m = start(Encoder(norm_first))
    o = torch.optim.AdamW(m.parameters(), lr=0.003)
    schedule = torch.optim.lr_scheduler.OneCycleLR(o, 0.01, total_steps=40)
    result[name] = losses(m, o, lambda: nn.functional.cross_entropy(m(words), classes[:8]), schedule)
print(json.dumps(result, indent=1))
