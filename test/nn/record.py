"""
Records what PyTorch's layers compute: `python3 test/nn/record.py` writes recorded.json and network.safetensors beside itself.

Each case is a layer with its arguments as they are written here (camelCase), its inputs, and the keywords of the call. Weights and inputs
are rounded to three decimals first, so that the file is small and both sides start from the same numbers; everything is float64.
Gradients are those of sum(sin(1 + arange) * output) over all outputs that are tensors of floats.
"""
import json, math, re, struct
from pathlib import Path
import torch
from torch import nn

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
here = Path(__file__).parent

snake = lambda name: re.sub(r"(?<=.)[A-Z]", lambda m: "_" + m.group().lower(), name)
special = {"axis": "dim", "approximate": "approximate", "slope": "negative_slope"}
renamed = lambda name: special.get(name, snake(name))


def rounded(t):
    return (t * 1000).round() / 1000 if t.is_floating_point() else t


def numbers(t):
    if t.dtype == torch.bool or not t.is_floating_point():
        return t.flatten().tolist()
    return [float(f"{v:.10g}") for v in t.flatten().tolist()]


def packed(t):
    return {"shape": list(t.shape), "dtype": str(t.dtype).removeprefix("torch."), "data": numbers(t)}


def floats(*shape, scale=1.0):
    return rounded(torch.randn(*shape) * scale)


def positive(*shape):
    return rounded(torch.rand(*shape) * 0.9 + 0.05)


def whole(high, *shape):
    return torch.randint(0, high, shape)


def flat(result):
    if isinstance(result, torch.Tensor):
        return [result]
    if result is None:
        return []
    return [t for part in result for t in flat(part)]


cases = []


def case(layer, args, *inputs, call=None, train=False, calls=1, torch_args=None, make=None):
    """One record. `call` holds keywords of forward; `calls` repeats it in training, for running values."""
    positional = [a for a in args if not isinstance(a, dict)]
    options = next((a for a in args if isinstance(a, dict)), {})
    keywords = {renamed(k): v for k, v in options.items()}
    keywords = {k: tuple(v) if isinstance(v, list) else v for k, v in keywords.items()}
    positional = [tuple(a) if isinstance(a, list) else a for a in positional]
    module = make() if make else getattr(nn, layer)(*(torch_args if torch_args is not None else positional), **keywords)
    module.train(train)
    for name, t in list(module.named_parameters()) + list(module.named_buffers()):
        with torch.no_grad():
            if t.is_floating_point():
                # Norms start as ones and zeros, which would hide mistakes.
                t.copy_(rounded(t if len(set(t.flatten().tolist())) > 1 else t + 0.3 * torch.rand_like(t)))
    state = {name: packed(t) for name, t in module.state_dict().items()}
    # Of losses, only the first input asks for gradients.
    asks = lambda k, t: t.is_floating_point() and (k == 0 or not layer.endswith("Loss"))
    sent = [t.clone().requires_grad_(asks(k, t)) for k, t in enumerate(inputs)]
    told = {snake(k): v for k, v in (call or {}).items()}
    for _ in range(calls):
        outputs = flat(module(*nest(layer, sent), **told))
    loss = sum(
        (torch.sin(1 + torch.arange(o.numel(), dtype=o.dtype)).reshape(o.shape) * o).sum()
        for o in outputs
        if o.is_floating_point()
    )
    loss.backward()
    after = {n: packed(t) for n, t in module.named_buffers()}
    gradients = {n: numbers(p.grad) for n, p in module.named_parameters() if p.grad is not None}
    cases.append(
        {
            "layer": layer,
            "args": args,
            "train": train,
            "calls": calls,
            "state": state,
            "inputs": [packed(t) for t in inputs],
            "call": {k: packed(v) if isinstance(v, torch.Tensor) else v for k, v in (call or {}).items()},
            "outputs": [packed(o) for o in outputs],
            "inputGradients": [numbers(t.grad) if t.grad is not None else None for t in sent],
            "gradients": gradients,
            "buffers": after if train else {},
        }
    )


def nest(layer, inputs):
    """States are one argument of an LSTM."""
    if layer in ("LSTM", "LSTMCell") and len(inputs) == 3:
        return [inputs[0], (inputs[1], inputs[2])]
    return inputs


# Products.
case("Linear", [3, 2], floats(2, 4, 3))
case("Linear", [3, 2, {"bias": False}], floats(3))
case("Bilinear", [3, 2, 4], floats(5, 3), floats(5, 2))
case("Identity", [], floats(2))
case("Flatten", [], floats(2, 3, 2))
case("Unflatten", [1, [2, 2]], floats(2, 4))

# Convolutions.
case("Conv1d", [2, 3, 3], floats(2, 2, 6))
case("Conv1d", [2, 4, 3, {"stride": 2, "padding": 1, "groups": 2, "bias": False}], floats(2, 6))
case("Conv1d", [1, 2, 4, {"padding": "same", "dilation": 2}], floats(1, 1, 9))
case("Conv2d", [2, 3, 3, {"padding": 1}], floats(2, 2, 5, 4))
case("Conv2d", [2, 2, [3, 2], {"stride": [2, 1], "padding": [1, 0], "dilation": [1, 2]}], floats(1, 2, 6, 5))
case("Conv2d", [4, 4, 3, {"groups": 4}], floats(1, 4, 4, 4))
for mode in ("reflect", "replicate", "circular"):
    case("Conv2d", [1, 2, 3, {"padding": [1, 2], "paddingMode": mode}], floats(1, 1, 4, 4))
case("Conv2d", [1, 1, [2, 3], {"padding": "same", "paddingMode": "circular"}], floats(1, 1, 4, 4))
case("Conv3d", [1, 2, 2, {"stride": 2}], floats(1, 1, 4, 4, 4))
case("ConvTranspose1d", [2, 3, 3, {"stride": 2, "outputPadding": 1}], floats(1, 2, 4))
case("ConvTranspose2d", [4, 2, 3, {"stride": 2, "padding": 1, "groups": 2}], floats(1, 4, 3, 3))
case("ConvTranspose2d", [1, 2, 3, {"dilation": 2, "bias": False}], floats(1, 1, 3, 3))
case("ConvTranspose3d", [1, 1, 2], floats(1, 1, 2, 2, 2))

# Pooling.
case("MaxPool1d", [2], floats(1, 2, 6))
case("MaxPool2d", [3, {"stride": 2, "padding": 1}], floats(1, 2, 5, 5))
case("MaxPool2d", [2, {"ceilMode": True}], floats(1, 1, 5, 5))
case("MaxPool3d", [2], floats(1, 1, 4, 4, 4))
case("AvgPool1d", [3, {"stride": 2, "padding": 1}], floats(1, 1, 6))
case("AvgPool2d", [2, {"countIncludePad": False, "padding": 1}], floats(1, 2, 4, 4))
case("AvgPool3d", [2], floats(1, 1, 2, 4, 4))
case("AdaptiveAvgPool1d", [3], floats(1, 2, 7))
case("AdaptiveAvgPool2d", [[2, 3]], floats(1, 2, 5, 6))
case("AdaptiveAvgPool3d", [1], floats(1, 2, 2, 2, 3))
case("AdaptiveMaxPool1d", [3], floats(1, 2, 7))
case("AdaptiveMaxPool2d", [[2, 3]], floats(1, 2, 5, 6))
case("LPPool1d", [2, 3], positive(1, 2, 7))
case("LPPool2d", [2, 2], positive(1, 2, 4, 4))

# Norms.
case("BatchNorm1d", [3], floats(4, 3), train=True, calls=2)
case("BatchNorm1d", [3], floats(4, 3))
case("BatchNorm1d", [2, {"momentum": None}], floats(3, 2, 4), train=True, calls=3)
case("BatchNorm2d", [2, {"eps": 1e-3, "momentum": 0.3}], floats(2, 2, 3, 3), train=True)
case("BatchNorm2d", [2], floats(2, 2, 3, 3))
case("BatchNorm2d", [2, {"affine": False, "trackRunningStats": False}], floats(2, 2, 3, 3))
case("BatchNorm3d", [2], floats(2, 2, 2, 2, 2), train=True)
case("LayerNorm", [4], floats(2, 3, 4))
case("LayerNorm", [[3, 4], {"eps": 1e-2}], floats(2, 3, 4))
case("LayerNorm", [4, {"elementwiseAffine": False}], floats(2, 4))
case("GroupNorm", [2, 4], floats(2, 4, 3))
case("GroupNorm", [4, 4, {"affine": False}], floats(2, 4, 2, 2))
case("InstanceNorm1d", [3], floats(2, 3, 4))
case("InstanceNorm1d", [3, {"affine": True}], floats(3, 4))
case("InstanceNorm2d", [2, {"affine": True, "trackRunningStats": True}], floats(2, 2, 3, 3), train=True)
case("InstanceNorm2d", [2, {"trackRunningStats": True}], floats(2, 2, 3, 3))
case("LocalResponseNorm", [3], floats(1, 5, 4))

# Tables.
case("Embedding", [5, 3], whole(5, 2, 4))
case("Embedding", [5, 3, {"paddingIdx": 1}], torch.tensor([[0, 1, 4], [1, 1, 2]]))
case("EmbeddingBag", [5, 3], whole(5, 2, 4))
case("EmbeddingBag", [5, 3, {"mode": "sum"}], whole(5, 6), torch.tensor([0, 2, 2]))
case("EmbeddingBag", [5, 3, {"mode": "max"}], whole(5, 6), torch.tensor([0, 2, 5]))

# Activations.
for name, args in {
    "ReLU": [], "ReLU6": [], "GELU": [], "SiLU": [], "Sigmoid": [], "Tanh": [], "LogSigmoid": [], "LeakyReLU": [0.2], "ELU": [0.7],
    "SELU": [], "CELU": [1.3], "Softplus": [2, 3], "Softsign": [], "Softshrink": [0.4], "Hardshrink": [0.4], "Tanhshrink": [],
    "Hardswish": [], "Hardsigmoid": [], "Hardtanh": [-0.5, 1.5], "Mish": [], "Threshold": [0.1, 20], "Softmax": [-1], "LogSoftmax": [1],
    "Softmin": [0], "GLU": [1], "PReLU": [3], "RReLU": [],
}.items():
    case(name, args, floats(2, 4 if name == "GLU" else 3, 3, scale=2))
case("GELU", [{"approximate": "tanh"}], floats(2, 3, scale=2))
case("PReLU", [], floats(2, 3))
for name in ("Dropout", "Dropout1d", "Dropout2d", "AlphaDropout"):
    case(name, [0.3], floats(2, 3, 2))

# Losses.
for reduction in ("mean", "sum", "none"):
    o = {"reduction": reduction}
    case("MSELoss", [o], floats(3, 2), floats(3, 2))
    case("L1Loss", [o], floats(3, 2), floats(3, 2))
    case("CrossEntropyLoss", [o], floats(4, 3), whole(3, 4))
    case("NLLLoss", [o], floats(4, 3), whole(3, 4))
    case("BCELoss", [o], positive(3, 2), positive(3, 2))
    case("BCEWithLogitsLoss", [o], floats(3, 2), positive(3, 2))
case("SmoothL1Loss", [{"beta": 0.5}], floats(3, 2), floats(3, 2))
case("HuberLoss", [{"delta": 0.5}], floats(3, 2), floats(3, 2))
case("CrossEntropyLoss", [{"labelSmoothing": 0.1, "ignoreIndex": 1}], floats(4, 3), torch.tensor([0, 1, 2, 2]))
case("CrossEntropyLoss", [], floats(2, 3, 4), torch.softmax(floats(2, 3, 4), 1))
case("KLDivLoss", [{"reduction": "batchmean"}], floats(3, 2), positive(3, 2))
case("KLDivLoss", [{"reduction": "sum", "logTarget": True}], floats(3, 2), floats(3, 2))
case("PoissonNLLLoss", [], floats(3, 2), positive(3, 2))
case("SoftMarginLoss", [], floats(3), torch.tensor([1.0, -1, 1]))
case("HingeEmbeddingLoss", [{"margin": 0.5}], floats(3), torch.tensor([1.0, -1, 1]))
case("MultiMarginLoss", [], floats(4, 3), whole(3, 4))
case("MultiLabelMarginLoss", [], floats(2, 3), torch.tensor([[2, 0, -1], [1, -1, 0]]))
case("MultiLabelSoftMarginLoss", [], floats(2, 3), torch.tensor([[1.0, 0, 1], [0, 1, 1]]))
case("GaussianNLLLoss", [], floats(3, 2), floats(3, 2), positive(3, 2))
case("CosineEmbeddingLoss", [{"margin": 0.2}], floats(3, 2), floats(3, 2), torch.tensor([1.0, -1, 1]))
case("MarginRankingLoss", [{"margin": 0.2}], floats(3), floats(3), torch.tensor([1.0, -1, 1]))
case("TripletMarginLoss", [{"margin": 2}], floats(3, 4), floats(3, 4), floats(3, 4))

# Shapes and distances.
case("Upsample", [{"scaleFactor": 2}], floats(1, 1, 3, 2))
case("Upsample", [{"size": [4, 5], "mode": "bilinear", "alignCorners": True}], floats(1, 1, 3, 2))
case("ZeroPad2d", [[1, 2, 0, 1]], floats(1, 1, 2, 3))
case("ConstantPad2d", [1, 3.5], floats(1, 1, 2, 3))
case("ReflectionPad2d", [1], floats(1, 1, 3, 3))
case("ReplicationPad2d", [2], floats(1, 1, 2, 3))
case("PixelShuffle", [2], floats(1, 4, 2, 3))
case("PixelUnshuffle", [2], floats(1, 1, 4, 2))
case("Unfold", [2], floats(1, 1, 3, 3))
case("Fold", [[3, 3], [2, 2]], floats(1, 4, 4))
case("CosineSimilarity", [{"axis": 1}], floats(3, 4), floats(3, 4))
case("PairwiseDistance", [], floats(3, 4), floats(3, 4))

# Recurrent networks.
for name in ("RNN", "GRU", "LSTM"):
    case(name, [3, 2], floats(4, 2, 3))
    case(name, [3, 2, {"numLayers": 2, "bidirectional": True, "batchFirst": True}], floats(2, 3, 3))
    states = [floats(1, 2) for _ in range(2 if name == "LSTM" else 1)]
    case(name, [2, 2, {"bias": False}], floats(3, 2), *states)
    states = [floats(2, 2, 3) for _ in range(2 if name == "LSTM" else 1)]
    case(name, [2, 3, {"numLayers": 2}], floats(3, 2, 2), *states)
    states = [floats(2, 3) for _ in range(2 if name == "LSTM" else 1)]
    case(name + "Cell", [2, 3], floats(2, 2), *states)
    case(name + "Cell", [2, 3, {"bias": False}], floats(2))
case("RNN", [3, 2, {"nonlinearity": "relu"}], floats(4, 2, 3))

# Attention.
mha = "MultiheadAttention"
case(mha, [4, 2], floats(3, 2, 4), floats(3, 2, 4), floats(3, 2, 4))
case(mha, [4, 2, {"batchFirst": True, "bias": False}], floats(2, 3, 4), floats(2, 5, 4), floats(2, 5, 4), call={"averageAttnWeights": False})
case(mha, [4, 2, {"kdim": 3, "vdim": 2}], floats(3, 2, 4), floats(5, 2, 3), floats(5, 2, 2), call={"needWeights": False})
hides = torch.tensor([[False, False, True], [False, True, False]])
later = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
case(mha, [4, 2, {"batchFirst": True}], floats(2, 3, 4), floats(2, 3, 4), floats(2, 3, 4), call={"keyPaddingMask": hides, "attnMask": later})
case(mha, [4, 2, {"batchFirst": True}], floats(2, 3, 4), floats(2, 3, 4), floats(2, 3, 4), call={"attnMask": floats(4, 3, 3), "needWeights": False})
case(mha, [4, 1], floats(3, 4), floats(2, 4), floats(2, 4))

encoder = {"dimFeedforward": 5, "dropout": 0.0}
case("TransformerEncoderLayer", [4, 2, encoder], floats(3, 2, 4), call={"srcMask": later}, train=True)
case("TransformerEncoderLayer", [4, 2, {**encoder, "batchFirst": True, "normFirst": True, "activation": "gelu"}], floats(2, 3, 4), call={"srcKeyPaddingMask": hides}, train=True)
case("TransformerDecoderLayer", [4, 2, encoder], floats(3, 2, 4), floats(2, 2, 4), call={"tgtMask": later}, train=True)
case("TransformerDecoderLayer", [4, 2, {**encoder, "batchFirst": True, "normFirst": True}], floats(2, 3, 4), floats(2, 3, 4), call={"memoryKeyPaddingMask": hides}, train=True)

lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
(here / "recorded.json").write_text(f"[\n{lines}\n]\n")


# A whole network, with its weights as a file.
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 6, 3), nn.GELU()
        )
        layer = nn.TransformerEncoderLayer(6, 2, dim_feedforward=8, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(6), enable_nested_tensor=False)
        self.lstm = nn.LSTM(6, 5, batch_first=True, bidirectional=True)
        self.head = nn.Linear(10, 3)

    def forward(self, x):
        steps = self.features(x).flatten(2).transpose(1, 2)
        return self.head(self.lstm(self.encoder(steps))[0][:, -1])


torch.set_default_dtype(torch.float32)
network = Network()
network.train()
for _ in range(3):
    network(torch.randn(4, 1, 8, 8) * 2 + 1)
network.eval()
x = torch.randn(2, 1, 8, 8)
with torch.no_grad():
    y = network(x)
names = {torch.float32: "F32", torch.int64: "I64"}
header, parts, at = {}, [], 0
for name, t in {**network.state_dict(), "x": x, "y": y}.items():
    data = t.contiguous().numpy().tobytes()
    header[name] = {"dtype": names[t.dtype], "shape": list(t.shape), "data_offsets": [at, at + len(data)]}
    parts.append(data)
    at += len(data)
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
(here / "network.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))
print(len(cases), "cases")
