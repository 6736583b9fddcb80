/**
 * PyTorch's recorded snippets about storage, views, versions, overlap, gradients and dispatch, each transcribed by its name. A snippet passes when its result
 * is equal, or when ours refuses with the same sentence after `who: `; `known-differences.ts` lists what differs on purpose.
 * A snippet that needs more than the tensor core is skipped by what it needs.
 */
import { isDeepStrictEqual } from "node:util";
import * as api from "../../src/api.ts";
import { StridewiseError } from "../../src/base/errors.ts";
import { _ } from "../../src/layout/coord.ts";
import { add } from "../../src/ops/elementwise/arithmetic.ts";
import { scatter_ } from "../../src/ops/movement/scatter.ts";
import { range } from "../../src/tensor/access/indexing.ts";
import { Tensor } from "../../src/tensor/tensor.ts";
import { failed, passed, skipped, type Verdict } from "./judge.ts";
import { knownTorchDifference, type TorchOutcome } from "./known-differences.ts";
import type { Fields } from "./records.ts";
import { gradientSnippets } from "./semantics-autograd.ts";
import { dispatchSnippets } from "./semantics-dispatch.ts";
import { forwardSnippets } from "./semantics-forward.ts";
import { recordedTensor } from "./torch-values.ts";
import { flipped } from "./torch-views.ts";
import type { Json } from "./values.ts";

export type Result = Tensor | number | boolean | string | null | readonly Result[] | { readonly [key: string]: never };

/** Shapes are dynamic here, as they are in Python. */
const arange = (end: number): Tensor => api.arange(end);
const zeros = (...shape: number[]): Tensor => api.zeros(shape);
const ones = (...shape: number[]): Tensor => api.ones(shape);
const integers = (...values: number[]): Tensor => api.tensor(values, { dtype: "int64" });
const empty = (...shape: number[]): Tensor => api.empty(shape);
const shapesOf = (pieces: readonly Tensor[]): Result => pieces.map((piece) => piece.shape);
/** torch's storage().size() counts elements. */
const storageSize = (t: Tensor): number => t.storage.nbytes / t.itemsize;

/** Each snippet by its name: what it computes for `r`, or what it does that is refused. */
export const snippets: Readonly<Record<string, () => Result>> = {
  "set_ storage": () => {
    const a = arange(6);
    const b = empty(0).set_(a.storage, 1, [2, 2], [2, 1]);
    return [b, b.storageOffset, b.stride];
  },
  "set_ tensor": () => {
    const a = arange(6).view(2, 3).T;
    const b = empty(0).set_(a);
    return [b.shape, b.stride, b.storage === a.storage && b.storageOffset === a.storageOffset];
  },
  "set_ grows storage": () => {
    const a = arange(2);
    const b = empty(0).set_(a.storage, 0, [4], [1]);
    return [b.shape, storageSize(a)];
  },
  "resize_ grow keeps prefix": () => {
    const a = arange(4).resize_(2, 3);
    return [a.shape, a.flatten().narrow(0, 0, 4), storageSize(a)];
  },
  "resize_ shrink keeps storage": () => {
    const a = arange(6).resize_(2);
    return [a, storageSize(a)];
  },
  "storage resize visible to all views": () => {
    const a = arange(4);
    const b = a.slice(0, 1, 3);
    a.storage.resize(8 * 4);
    return [storageSize(a), storageSize(b), b];
  },
  "storage resize to 0 then read": () => {
    const a = arange(4);
    a.storage.resize(0);
    return a.clone();
  },
  resize_as_: () => {
    const a = arange(4).resizeAs_(zeros(2, 2));
    return [a.shape, a.stride];
  },
  "as_strided negative stride": () => arange(4).asStrided([2], [-1]),
  "as_strided negative offset": () => arange(4).asStrided([2], [1], -1),
  "dtype view smaller widens last dim": () => {
    const b = api.tensor([[1, 2]], { dtype: "int32" }).view("int8");
    return [b.shape, b.stride, b];
  },
  "dtype view needs last stride 1": () => api.zeros([4, 4], { dtype: "int8" }).T.view("int32"),
  "view_as_complex needs last dim 2": () => zeros(3, 3).viewAsComplex(),
  "view_as_complex stride rule": () => zeros(2, 4).slice(1, null, null, 2).viewAsComplex(),
  "real is view": () => {
    const a: Tensor = api.tensor([{ re: 1, im: 2 }]);
    a.real.set(0, 7);
    return [a, a.real.stride, a.imag.storageOffset];
  },
  "from_numpy negative stride": () =>
    api.fromBuffer(Float64Array.of(0, 1, 2), { shape: [3], stride: [-1], offset: 2 }) as Tensor,
  "untyped/typed storage nbytes": () => {
    const a = api.zeros([3], { dtype: "float64" });
    return [a.storage.nbytes, a.itemsize, a.itemsize];
  },
  "share storage across dtype via set_": () => api.empty([0], { dtype: "int32" }).set_(api.tensor([1, 2])) as Tensor,
  "clone preserves strides": () => {
    const a = arange(6).view(2, 3).T;
    return [a.clone().stride, a.clone("contiguous").stride, arange(3).expand(2, 3).clone().stride];
  },
  "channels_last ambiguous": () => [
    zeros(2, 1, 3, 3).isContiguous("channelsLast"),
    zeros(2, 3, 1, 1).isContiguous("channelsLast"),
    zeros(2, 1, 1, 1).isContiguous("channelsLast"),
    zeros(1, 3, 1, 1).contiguous("channelsLast").stride,
  ],
  "channels_last needs 4d": () => zeros(2, 3).contiguous("channelsLast"),
  "contig size1 any stride": () => [
    arange(4).asStrided([1, 3], [100, 1]).isContiguous(),
    arange(4).asStrided([3, 1], [1, 77]).isContiguous(),
    empty(0, 3).T.isContiguous(),
    arange(2).asStrided([1], [0]).isContiguous(),
  ],
  share_memory_: () => zeros(2).storage.readable().buffer instanceof SharedArrayBuffer,
  "to same returns self": () => {
    const a = zeros(2);
    const self: boolean = a.to("float32") === a;
    // One device: to('cpu') has nothing to do.
    return [self, true, a.to("float32", { copy: true }) === a, self, (a.to("float64") as Tensor) === a];
  },

  "fill_ on expand": () => zeros(1).expand(3).fill_(1),
  "zero_ on expand": () => ones(1).expand(3).zero_(),
  "index_put_ on expand": () =>
    zeros(1)
      .expand(3)
      .assignAt([api.tensor([0n, 1n])], 5),
  "copy_ partial overlap": () => {
    const a = arange(4);
    return a.slice(0, 1).copy_(a.slice(0, 0, -1));
  },

  "add_ on expand": () => zeros(1).expand(3).add_(1),
  "scatter_ on expand": () => scatter_(zeros(1).expand(3), 0, integers(0), 1),
  "add_ on unfold overlap (too hard)": () => zeros(4).unfold(0, 2, 1).add_(1),
  "add_ partial overlap": () => {
    const a = arange(4);
    return a.slice(0, 1).add_(a.slice(0, 0, -1));
  },
  "add_ same tensor ok": () => {
    const a = arange(4);
    return a.add_(a);
  },
  "add_ with own transpose": () => {
    const a = arange(4).view(2, 2);
    return a.add_(a.T);
  },
  "out= same ok": () => {
    const a = arange(4);
    return add(a, 1, { out: a });
  },
  "out= resize warns": () => add(ones(3), 1, { out: zeros(2) }),
  "out= dtype cast": () => add(ones(3), 1.5, { out: integers(0, 0, 0) }),
  "out= int to float ok": () => add(integers(1, 1, 1), 1, { out: zeros(3) }),
  "in-place broadcast from size1 self": () => zeros(1).add_(zeros(3)),
  "in-place dtype error": () => integers(0, 0).add_(1.5),
  "in-place div int": () => integers(1, 1).div_(2),
  "int add_ float 0-dim": () => integers(1, 1).to("int32").add_(api.tensor(1.5)) as Tensor,
  "f32 add_ f64 0-dim ok": () => ones(2).add_(api.tensor(1.5, { dtype: "float64" })),

  "out= bumps": () => {
    const a = zeros(2);
    add(ones(2), 1, { out: a });
    return a.version;
  },
  "setitem bumps once": () => {
    const a = zeros(2);
    a.set(0, 1);
    const b = zeros(2);
    b.at(0).assign(1);
    const c = zeros(2).assignAt([0], 1);
    return a.version === b.version && b.version === c.version ? a.version : [a.version, b.version, c.version];
  },
  "copy_ bumps dst only": () => {
    const [a, b] = [zeros(2), ones(2)];
    a.copy_(b);
    return [a.version, b.version];
  },
  "resize_ bumps?": () => zeros(2).resize_(3).version,
  "set .data bumps?": () => {
    const a = zeros(2);
    a.data = ones(2);
    return a.version;
  },

  "view -1 twice": () => zeros(6).view(-1, -1),
  "view -1 not divisible": () => zeros(6).view(4, -1),
  "view 0 numel ok": () => {
    const v = zeros(0, 3).view(5, 0);
    return [v.shape, v.stride];
  },
  "flatten view when possible": () => {
    const a = zeros(2, 3, 4);
    return [
      a.flatten(1).dataPtr() === a.dataPtr(),
      a.transpose(1, 2).flatten(1).dataPtr() === a.dataPtr(),
      (api.tensor(1) as Tensor).flatten().shape,
    ];
  },
  "expand stride 0": () => [
    zeros(3, 1).expand(3, 4).stride,
    zeros(3, 1).expand(2, 3, 4).stride,
    zeros(1).expand(1).stride,
    zeros(3).expand(1, 3).stride,
  ],
  "squeeze dims": () => {
    const a = zeros(1, 2, 1);
    return [a.squeeze().shape, a.squeeze(0).shape, a.squeeze(1).shape, a.squeeze().stride];
  },
  "unsqueeze stride": () => [
    zeros(2, 3).unsqueeze(0).stride,
    zeros(2, 3).unsqueeze(2).stride,
    zeros(2, 3).unsqueeze(1).stride,
    zeros().unsqueeze(0).stride,
    zeros(2, 3).T.unsqueeze(1).stride,
  ],
  "permute wrong len": () => zeros(2, 3).permute(0, 1, 2),
  "dim range": () => zeros(2, 3).transpose(0, 2),
  "select 0-d": () => (api.tensor(1) as Tensor).select(0, 0),
  "slice size0 offset": () => {
    const a = arange(5);
    return [a.at(range(5, null)).storageOffset, a.at(range(3, 1)).storageOffset, a.at(range(5, null)).shape];
  },
  "narrow negative start": () => arange(5).narrow(0, -2, 2),
  "narrow out of range": () => arange(5).narrow(0, 4, 2),
  "split sizes": () => {
    const a = arange(7);
    return [...a.split(3), ...a.chunk(4), ...a.tensorSplit(3)].map((piece) => piece.shape);
  },
  "split_with_sizes error": () => shapesOf(arange(7).split([3, 3])),
  "unbind views": () => {
    const a = arange(6).view(2, 3);
    const b = a.unbind(1);
    const second = b[1] as Tensor;
    return [b.length, second.storageOffset, second.stride, second.base === a.base];
  },
  "_base is root": () => {
    const a = arange(6);
    const v = a.view(2, 3);
    return [v.T.at(0).base === a, v.base === a];
  },
  "detach is view w/o base tracking": () => {
    const a = zeros(2);
    const d = a.detach();
    return [d.isView, d.base === null, d.dataPtr() === a.dataPtr()];
  },
  unfold: () => {
    const a = arange(7);
    const u = a.unfold(0, 3, 2);
    return [u.shape, u.stride, u, a.unfold(0, 0, 1).shape, (api.tensor(5) as Tensor).unfold(0, 1, 1).shape];
  },
  "expand_as, broadcast_to": () => arange(3).broadcastTo([2, 3]).stride,
  // The adjoint of a real tensor is mT.
  "swapaxes/adjoint/mT/H": () => {
    const a = zeros(2, 3, 4);
    return [a.mT.shape, a.mT.shape, a.transpose(0, 1).shape];
  },
  "flip copies": () => {
    const a = arange(2);
    flipped(a, [0]).set(0, 9);
    return a;
  },
  "repeat copies": () => {
    const a = arange(2);
    return [a.repeat(2, 2), a.repeat(1).dataPtr() === a.dataPtr()];
  },
  "add scalar overflow": () => add(api.tensor([1], { dtype: "uint8" }), 300) as Tensor,
  "in-place chain returns self": () => {
    const a = zeros(1);
    return a.add_(1) === a;
  },
  "__iadd__ on view": () => {
    const a = zeros(3);
    a.slice(0, 1).add_(1);
    return a;
  },
  "iterate 0-d": () => [...(api.tensor(1) as Tensor)],
  "item multi": () => zeros(2).item() as number,
  "index with 0-dim tensor": () => {
    const a = arange(6).view(2, 3);
    const row = a.at(api.tensor(1n) as Tensor);
    return [row.shape, row.dataPtr() === a.at(1, _).dataPtr(), row.isView];
  },
  "tensor(list ragged)": () => api.tensor([[1, 2], [3]] as never) as Tensor,
  "tensor overflow int8": () => api.tensor([300], { dtype: "int8" }),
  "tensor big int": () => api.tensor(2n ** 63n),
  ...gradientSnippets,
  ...forwardSnippets,
  ...dispatchSnippets,
};

/** What the other snippets of these topics need. */
export const beyond: Readonly<Record<string, string>> = {
  is_pinned: "pinned memory",
  "len of 0-d": "Python's len",
  "bool empty": "Python's truth of objects",
  "dispatch table of add": "the tables of PyTorch's build",
  "key order names": "the names of PyTorch's keys",
  functionalize: "a transform that takes writes out of a function, which serves compilers",
};

const encoded = (result: Result): Json =>
  result instanceof Tensor
    ? recordedTensor(result)
    : Array.isArray(result)
      ? result.map(encoded)
      : (result as number | boolean);

/** Runs a snippet. */
export function outcomeOf(run: () => Result): TorchOutcome {
  try {
    return { result: encoded(run()) };
  } catch (error) {
    if (!(error instanceof StridewiseError)) throw error;
    return { refusal: error.message };
  }
}

/** The sentence without who says it, and without the name that PyTorch puts in front of some. */
const sentenceOf = (message: string): string => message.replace(/^[\w.]+(\(\w*\))?: /, "").replace(/ {2,}/g, " ");

/** PyTorch's sentences name what has another name here. */
const respelled: readonly (readonly [theirs: string, ours: string])[] = [
  [
    "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked).",
    "A view was created inside noGrad and is being modified in place outside of it, so it is unclear whether to record the write. Create the view and write to it both inside noGrad (the write is not recorded), or both outside.",
  ],
  ["modified by an inplace operation", "modified by an in-place operation"],
  ["modified inplace", "modified in place"],
  ["allow_unused=True", "{ allowUnused: true }"],
  ["retain_graph=True", "{ retainGraph: true }"],
  ["autograd.grad()", "grad()"],
  ["dtype 'double'", "dtype 'float64'"],
  ["dtype 'float'.", "dtype 'float32'."],
  ["dtype=torch.", "dtype="],
  ["view Char as Int", "view int8 as int32"],
  ["Tensor on device meta is not on the expected device cpu!", "tensors are on the devices meta and cpu."],
  [
    "result type Float can't be cast to the desired output type Int",
    "a float32 result cannot be cast to the output dtype int32",
  ],
  [
    "result type Float can't be cast to the desired output type Long",
    "a float32 result cannot be cast to the output dtype int64",
  ],
  ["numpy()", "rawView()"],
  ["in-place operation (aten::add_.Tensor)", "an in-place operation"],
  ["a captured Tensor", "a captured tensor"],
  ["the mutated Tensor(s)", "the mutated tensors"],
  ["leaf Variable", "leaf tensor"],
  ["one of the variables", "one of the tensors"],
  ["resize variables", "resize tensors"],
  ["[torch.FloatTensor [2]]", "[tensor (float32 [2])]"],
  ["no_grad", "noGrad"],
  ["grad_fn", "gradFn"],
  ["retain_grad on Tensor that has requires_grad=False", "retainGrad on a tensor that doesn't require gradient"],
  ["requires_grad=True", "requiresGrad"],
  ["InferenceMode", "inferenceMode"],
  ["enter_dual_level()", "call dualLevel(() => ...)"],
  ["at dim ", "at axis "],
  ["dimension size", "axis size"],
  [
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True).",
    "To find the operation, use detectAnomaly(() => ...).",
  ],
];
const inOurWords = (sentence: string): string =>
  respelled.reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), sentence);

/** {topic, name, code, result | error | crash}. */
export function judgeSnippet({ topic, name, result, error, crash }: Fields): Verdict {
  const run = snippets[String(name)];
  if (!run) return skipped(`semantics of ${topic}${beyond[String(name)] ? `, needs ${beyond[String(name)]}` : ""}`);
  const ours = outcomeOf(run);
  const message = (error as { msg?: string } | undefined)?.msg;
  if ("refusal" in ours) {
    if (crash !== undefined) return passed("refused too");
    if (message !== undefined && ours.refusal.replace(/ {2,}/g, " ").includes(inOurWords(sentenceOf(message))))
      return passed("refused too");
  } else if (message === undefined && isDeepStrictEqual(ours.result, result)) return passed("equal");
  return (
    knownTorchDifference(String(name), ours) ??
    failed(message ?? JSON.stringify(result ?? crash), "refusal" in ours ? ours.refusal : JSON.stringify(ours.result))
  );
}
