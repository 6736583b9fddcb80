"""Records what PyTorch's optimisers and schedules do, for recorded.test.ts: python3 record.py > recorded.json

Every optimiser runs 10 steps in float64 (and a few in float32) on a small fixed problem of two parameters; parameters are noted
after each step. NAdam is written out here, because PyTorch before 2.0 multiplies one momentum too many.
"""
import json
import math
import warnings

import torch

warnings.filterwarnings("ignore")


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def problem(dtype):
    w = torch.tensor([[0.5, -1.25], [2.0, 0.125]], dtype=dtype, requires_grad=True)
    b = torch.tensor(0.75, dtype=dtype, requires_grad=True)
    x = torch.tensor([[1.0, 2.0], [-0.5, 0.25], [3.0, -1.0]], dtype=dtype)

    def loss():
        y = torch.sin(x @ w + b)
        return (y * y).sum() + 0.1 * (w ** 4).sum()

    return w, b, loss


def digits(numbers, dtype):
    return [float("%.*g" % (14 if dtype == torch.float64 else 8, n)) for n in numbers]


class NAdam(torch.optim.Optimizer):
    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                s = self.state[p]
                if not s:
                    s.update(t=0, m=torch.zeros_like(p), v=torch.zeros_like(p), product=1.0)
                s["t"] += 1
                t = s["t"]
                g = p.grad + group["weight_decay"] * p
                mu = beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"]))
                ahead = beta1 * (1 - 0.5 * 0.96 ** ((t + 1) * group["momentum_decay"]))
                s["product"] *= mu
                s["m"] = beta1 * s["m"] + (1 - beta1) * g
                s["v"] = beta2 * s["v"] + (1 - beta2) * g * g
                mean = ahead * s["m"] / (1 - s["product"] * ahead) + (1 - mu) * g / (1 - s["product"])
                p -= group["lr"] * mean / ((s["v"] / (1 - beta2 ** t)).sqrt() + group["eps"])


def make(name, params, options):
    return (NAdam if name == "NAdam" else getattr(torch.optim, name))(params, **options)


def run(name, options, dtype=torch.float64, groups=None):
    w, b, loss = problem(dtype)
    params = [w, b] if groups is None else [dict(params=[p], **own) for p, own in zip((w, b), groups)]
    optimizer = make(name, params, options)
    after = []
    for _ in range(10):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
        after.append(digits([*w.detach().flatten().tolist(), b.item()], dtype))
    record = {"name": name, "options": {camel(k): v for k, v in options.items()}, "dtype": str(dtype)[6:], "after": after}
    if groups is not None:
        record["groups"] = [{camel(k): v for k, v in own.items()} for own in groups]
    return record


optimizers = [
    ("SGD", [{"lr": 0.05}, {"lr": 0.05, "momentum": 0.9}, {"lr": 0.05, "momentum": 0.9, "dampening": 0.5},
             {"lr": 0.05, "momentum": 0.8, "nesterov": True}, {"lr": 0.05, "weight_decay": 0.1},
             {"lr": 0.02, "momentum": 0.9, "weight_decay": 0.1, "maximize": True}]),
    ("Adam", [{}, {"lr": 0.1}, {"lr": 0.1, "betas": [0.5, 0.9], "eps": 1e-3}, {"lr": 0.1, "weight_decay": 0.1},
              {"lr": 0.1, "amsgrad": True, "betas": [0.9, 0.5]}, {"lr": 0.01, "maximize": True}]),
    ("AdamW", [{}, {"lr": 0.1, "weight_decay": 0.3}, {"lr": 0.1, "amsgrad": True, "betas": [0.9, 0.5]}, {"lr": 0.1, "weight_decay": 0}]),
    ("RMSprop", [{}, {"lr": 0.05, "alpha": 0.5}, {"lr": 0.05, "centered": True}, {"lr": 0.05, "momentum": 0.9},
                 {"lr": 0.05, "momentum": 0.5, "centered": True, "weight_decay": 0.1}]),
    ("Adagrad", [{}, {"lr": 0.2, "lr_decay": 0.1}, {"lr": 0.2, "initial_accumulator_value": 0.5, "weight_decay": 0.1}]),
    ("Adadelta", [{}, {"lr": 0.5, "rho": 0.5, "weight_decay": 0.1}]),
    ("Adamax", [{}, {"lr": 0.1, "betas": [0.5, 0.9], "weight_decay": 0.1}]),
    ("NAdam", [{}, {"lr": 0.1, "momentum_decay": 0.1, "weight_decay": 0.1}]),
    ("RAdam", [{}, {"lr": 0.1, "betas": [0.8, 0.9], "weight_decay": 0.1}]),
]


def lbfgs(options, steps):
    x = torch.tensor([-1.5, 2.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], **options)
    calls = [0]

    def closure():
        calls[0] += 1
        optimizer.zero_grad()
        loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        loss.backward()
        return loss

    after = []
    for _ in range(steps):
        loss = optimizer.step(closure)
        after.append({"x": x.detach().tolist(), "loss": loss.item(), "calls": calls[0]})
    named = {camel(k).replace("lineSearchFn", "lineSearch"): "strongWolfe" if v == "strong_wolfe" else v for k, v in options.items()}
    return {"options": named, "after": after}


def attach(optimizer, name, options):
    if name == "SequentialLR":
        parts = [attach(optimizer, *part) for part in options["schedulers"]]
        return torch.optim.lr_scheduler.SequentialLR(optimizer, parts, options["milestones"])
    if name == "LambdaLR":
        return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    spelled = {"t_max": "T_max", "t_0": "T_0", "t_mult": "T_mult"}
    return getattr(torch.optim.lr_scheduler, name)(optimizer, **{spelled.get(k, k): v for k, v in options.items()})


def camel_options(options):
    if "schedulers" in options:
        return {"schedulers": [[name, camel_options(own)] for name, own in options["schedulers"]], "milestones": options["milestones"]}
    return {{"t_0": "t0"}.get(k, camel(k)): v for k, v in options.items()}


def schedule(parts, steps=24, kind="SGD", measures=None):
    a, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    options = {"lr": 0.5, "momentum": 0.9} if kind == "SGD" else {"lr": 0.5}
    optimizer = getattr(torch.optim, kind)([{"params": [a]}, {"params": [b], "lr": 0.1}], **options)
    schedulers = [attach(optimizer, *part) for part in parts]
    rates, momenta = [], []
    for k in range(steps):
        rates.append([g["lr"] for g in optimizer.param_groups])
        momenta.append(optimizer.param_groups[0]["momentum" if kind == "SGD" else "betas"])
        for s in schedulers:
            s.step() if measures is None else s.step(measures[k])
    momenta = [m if isinstance(m, float) else m[0] for m in momenta]
    record = {"schedulers": [[name, camel_options(own)] for name, own in parts], "optimizer": kind, "rates": rates}
    if len(set(momenta)) > 1:
        record["momenta"] = momenta
    if measures is not None:
        record["measures"] = measures
    return record


falling = [1 / (1 + k // 6) + 0.01 * math.sin(k) for k in range(40)]
one = lambda name, **options: [(name, options)]
schedules = [
    schedule(one("StepLR", step_size=5)), schedule(one("StepLR", step_size=3, gamma=0.5)),
    schedule(one("MultiStepLR", milestones=[2, 7, 7, 15], gamma=0.3)),
    schedule(one("ExponentialLR", gamma=0.9)), schedule(one("ConstantLR")), schedule(one("ConstantLR", factor=0.25, total_iters=9)),
    schedule(one("LinearLR")), schedule(one("LinearLR", start_factor=0.1, end_factor=0.8, total_iters=11)),
    schedule(one("PolynomialLR", total_iters=12, power=2.0)), schedule(one("LambdaLR")),
    schedule(one("CosineAnnealingLR", t_max=8)), schedule(one("CosineAnnealingLR", t_max=15, eta_min=0.01)),
    schedule(one("CosineAnnealingWarmRestarts", t_0=4)), schedule(one("CosineAnnealingWarmRestarts", t_0=3, t_mult=2, eta_min=0.01)),
    schedule(one("OneCycleLR", max_lr=0.4, total_steps=24)),
    schedule(one("OneCycleLR", max_lr=[0.4, 2.0], epochs=4, steps_per_epoch=6, anneal_strategy="linear", pct_start=0.4, div_factor=10, final_div_factor=100)),
    schedule(one("OneCycleLR", max_lr=0.4, total_steps=24, three_phase=True), kind="Adam"),
    schedule(one("OneCycleLR", max_lr=0.4, total_steps=24, cycle_momentum=False)),
    schedule(one("ReduceLROnPlateau", patience=3), 40, measures=falling),
    schedule(one("ReduceLROnPlateau", mode="max", factor=0.5, patience=2, cooldown=3, min_lr=0.02, threshold=0.05, threshold_mode="abs"), 40, measures=falling),
    schedule(one("ReduceLROnPlateau", mode="max", factor=0.5, patience=1, min_lr=[0.2, 0.01]), 40, measures=falling),
    schedule([("ExponentialLR", {"gamma": 0.9}), ("StepLR", {"step_size": 4, "gamma": 0.5})]),
    schedule([("LinearLR", {"total_iters": 6}), ("CosineAnnealingLR", {"t_max": 20})], 20),
    schedule([("SequentialLR", {"schedulers": [["LinearLR", {"total_iters": 5, "start_factor": 0.2}], ["CosineAnnealingLR", {"t_max": 12}]], "milestones": [5]})], 17),
    schedule([("SequentialLR", {"schedulers": [["ConstantLR", {}], ["ExponentialLR", {"gamma": 0.5}], ["StepLR", {"step_size": 2}]], "milestones": [3, 9]})]),
]

print(json.dumps({
    "optimizers": [run(name, options) for name, sets in optimizers for options in sets]
    + [run(name, {"lr": 0.05}, torch.float32) for name, _ in optimizers]
    + [run("SGD", {"lr": 0.05, "momentum": 0.9}, groups=[{"lr": 0.1}, {"momentum": 0.5}]),
       run("AdamW", {}, groups=[{"lr": 0.1, "weight_decay": 0.0}, {"betas": [0.5, 0.5]}])],
    "lbfgs": [lbfgs({}, 3), lbfgs({"lr": 0.5, "max_iter": 7, "history_size": 3}, 6),
              lbfgs({"line_search_fn": "strong_wolfe"}, 5), lbfgs({"line_search_fn": "strong_wolfe", "max_iter": 4, "history_size": 2}, 12)],
    "schedules": schedules,
}, separators=(",", ":")))
