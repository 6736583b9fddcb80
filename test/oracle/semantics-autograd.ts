/**
 * PyTorch's recorded snippets about gradients, versions and inference mode, each transcribed by its name. Python's `a[:1]` is
 * `a.slice(0, 0, 1)`; what a snippet puts into `r` is what it gives here.
 */
import * as api from "../../src/api.ts";
import {
  detectAnomaly,
  enableGrad,
  grad,
  inferenceMode,
  noGrad,
  savedTensorHooks,
  setGradEnabled,
} from "../../src/autograd/index.ts";
import { add } from "../../src/ops/elementwise/arithmetic.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import { functionSnippets } from "./semantics-functions.ts";
import type { Result } from "./torch-semantics.ts";

const zeros = (...shape: number[]): Tensor => api.zeros(shape);
const ones = (...shape: number[]): Tensor => api.ones(shape);
/** A leaf of ones that asks for gradients. */
const leaf = (...shape: number[]): Tensor => api.ones(shape, { requiresGrad: true });
const numbers = (...values: number[]): Tensor => api.tensor(values, { requiresGrad: true });
const firstOf = (t: Tensor): Tensor => t.slice(0, 0, 1);
const nodeOf = (t: Tensor): string => t.gradFn?.name ?? "none";

const versions: Readonly<Record<string, () => Result>> = {
  "requires_grad_ does not bump": () => zeros(2).requiresGrad_().version,
  "backward leaves version": () => {
    const a = leaf(2);
    a.mul(a).sum().backward();
    return a.version;
  },
  "saved tensor modified": () => {
    const b = leaf(2).mul(1);
    const c = b.mul(b);
    b.add_(1);
    c.sum().backward();
    return [];
  },
  "saved output modified": () => {
    const b = leaf(2).exp();
    b.add_(1);
    b.sum().backward();
    return [];
  },
  "saved modified via .data undetected": () => {
    const w = leaf(2);
    const y = w.mul(w);
    w.data.add_(1);
    y.sum().backward();
    return w.grad;
  },
  "saved modified via detach detected": () => {
    const w = leaf(2);
    const y = w.mul(w);
    w.detach().add_(1);
    y.sum().backward();
    return w.grad;
  },
  "add does not save, modification ok": () => {
    const a = leaf(2);
    const b = a.mul(1);
    const c = b.add(b);
    b.mul_(5);
    c.sum().backward();
    return a.grad;
  },
  "inference tensor no version": () => inferenceMode(() => zeros(2)).version,
  "inference tensor in autograd": () => leaf(2).mul(inferenceMode(() => ones(2))),
  "inference tensor requires_grad_": () => inferenceMode(() => ones(2)).requiresGrad_(),
  // The counter of a storage can be set: that is all the context manager does.
  "unsafe preserve version counter": () => {
    const y = zeros(2).requiresGrad_().mul(1);
    y.mul(y);
    const before = y.storage.version.value;
    y.data.add_(0);
    y.storage.version.value = before;
    return y.version;
  },
};

const graphs: Readonly<Record<string, () => Result>> = {
  "in-place on view of leaf": () => firstOf(leaf(2)).add_(1),
  "setitem on leaf": () => leaf(2).at(0).assign(1),
  "in-place on leaf no_grad ok": () => {
    const a = leaf(2);
    noGrad(() => a.add_(1));
    return [a.detach(), a.requiresGrad, a.isLeaf];
  },
  "view made in no_grad then in-place": () => {
    const b = leaf(2).mul(1);
    return noGrad(() => firstOf(b)).add_(1);
  },
  "view in no_grad of leaf, in-place in grad mode": () => {
    const a = ones(2);
    return noGrad(() => firstOf(a)).mul_(leaf(1));
  },
  "detach in-place metadata": () => {
    leaf(2).detach().resize_(3);
    return null;
  },
  "view grad_fn regenerated after base in-place": () => {
    const b = leaf(3).mul(1);
    const v = b.slice(0, 0, 2);
    const before = nodeOf(v);
    b.mul_(2);
    return [before, nodeOf(v), nodeOf(b)];
  },
  "in-place makes non-grad tensor require grad": () => {
    const a = zeros(2).add_(leaf(2));
    return [a.requiresGrad, a.isLeaf, nodeOf(a)];
  },
  "view of base becomes grad after in-place through view": () => {
    const a = zeros(3);
    const v = firstOf(a).copy_(leaf(1));
    return [a.requiresGrad, nodeOf(a), nodeOf(v)];
  },
  "backward twice": () => {
    const a = leaf(2);
    const y = a.mul(a).sum();
    y.backward();
    y.backward();
    return [];
  },
  "backward twice no saved ok": () => {
    const a = leaf(2);
    const y = a.add(1).sum();
    y.backward();
    y.backward();
    return a.grad;
  },
  "non scalar backward": () => {
    leaf(2).mul(2).backward();
    return [];
  },
  "grad unused error": () => {
    const a = leaf(2);
    return grad(a.mul(2).sum(), [a, leaf(2)]);
  },
  "grad allow_unused": () => {
    const a = leaf(2);
    return grad(a.mul(2).sum(), [a, leaf(2)], { allowUnused: true });
  },
  "grad of not requires": () => {
    const a = ones(2);
    return grad(a.mul(2).sum(), [a]);
  },
  "grad dtype mismatch set": () => {
    const a = leaf(2);
    a.grad = api.ones([2], { dtype: "float64" }) as Tensor;
    return [];
  },
  "grad shape mismatch set": () => {
    const a = leaf(2);
    a.grad = ones(3);
    return [];
  },
  "nonleaf .grad none": () => {
    const b = leaf(2).mul(2);
    b.sum().backward();
    return b.grad;
  },
  "retain_grad no requires": () => {
    ones(2).retainGrad();
    return [];
  },
  "retain_grad then in-place": () => {
    const a = leaf(2);
    const b = a.mul(2);
    b.retainGrad();
    b.mul_(5);
    b.sum().backward();
    return [b.grad, a.grad];
  },
  "grad stolen not copied": () => {
    const [a, g] = [leaf(2), ones(2)];
    a.mul(1).backward(g);
    return [a.grad?.dataPtr() === g.dataPtr()];
  },
  "identity grad not stolen": () => {
    const [a, g] = [leaf(2), ones(2)];
    a.backward(g);
    return [a.grad?.dataPtr() === g.dataPtr(), a.grad];
  },
  "create_graph grad has grad_fn": () => {
    const a = leaf(2);
    a.pow(3).sum().backward(null, { createGraph: true });
    return [a.grad?.requiresGrad === true, nodeOf(a.grad as Tensor)];
  },
  "hook order on leaf": () => {
    const a = leaf(1);
    const seen: [string, number][] = [];
    a.registerHook((g) => {
      seen.push(["h1", g.item() as number]);
      return g.mul(2);
    });
    a.registerHook((g) => {
      seen.push(["h2", g.item() as number]);
      return undefined;
    });
    a.mul(3).backward();
    return [seen, a.grad];
  },
  "hook on no-grad tensor": () => {
    ones(1).registerHook((g) => g);
    return [];
  },
  "hook called once per backward with sum": () => {
    const b = leaf(1).mul(1);
    const seen: number[] = [];
    b.registerHook((g) => {
      seen.push(g.item() as number);
      return undefined;
    });
    b.mul(2).add(b.mul(3)).backward();
    return seen;
  },
  "node pre/post hooks": () => {
    const a = leaf(1);
    const b = a.mul(2);
    const seen: (number | null)[][] = [];
    b.gradFn?.registerPrehook(([g]) => [(g as Tensor).mul(5)]);
    b.gradFn?.registerHook((inputs, outputs) => {
      seen.push([(inputs[0]?.item() ?? null) as number | null, outputs[0]?.item() as number]);
      return undefined;
    });
    b.backward();
    return [seen, a.grad];
  },
  "hook with in-place: which grad": () => {
    const a = leaf(1);
    const b = a.mul(2);
    const seen: number[] = [];
    b.registerHook((g) => {
      seen.push(g.item() as number);
      return undefined;
    });
    b.mul_(5);
    b.backward();
    return [seen, a.grad];
  },
  "grad_fn next_functions": () => {
    const { gradFn } = leaf(1).mul(2);
    const next = gradFn?.nextFunctions ?? [];
    return [
      gradFn?.name ?? "none",
      next[0]?.[0]?.name ?? "none",
      next.slice(1).map(([node, k]) => [node?.name ?? null, k]),
    ];
  },
  "AccumulateGrad identity": () => {
    const a = leaf(1);
    const [one, other] = [a.mul(2), a.mul(3)].map((t) => t.gradFn?.nextFunctions[0]?.[0]);
    return one !== undefined && one === other;
  },
  "enable_grad inside no_grad": () => {
    const a = leaf(1);
    return noGrad(() => [a.mul(2).requiresGrad, enableGrad(() => a.mul(2).requiresGrad)]);
  },
  set_grad_enabled: () => {
    const a = leaf(1);
    return setGradEnabled(false, () => a.mul(2).requiresGrad);
  },
  "anomaly mode nan": () =>
    detectAnomaly(() => {
      const a: Tensor = api.zeros([1], { requiresGrad: true });
      a.sqrt().mul(0).sum().backward();
      return [];
    }),
  "max dim ties": () => {
    const a = numbers(1, 3, 3);
    a.max(0).values.backward();
    return a.grad;
  },
  saved_tensors_hooks: () => {
    const seen: string[] = [];
    const hooks = {
      pack(t: Tensor): Tensor {
        seen.push("pack");
        return t.mul(1);
      },
      unpack(t: Tensor): Tensor {
        seen.push("unpack");
        return t;
      },
    };
    const a = numbers(2);
    const y = savedTensorHooks(hooks, () => a.mul(a));
    y.sum().backward();
    return [seen, a.grad];
  },
  "grad_fn saved attributes freed": () => {
    const y = leaf(2).exp();
    y.sum().backward();
    return [...(y.gradFn?.savedTensors ?? [])];
  },
};

const others: Readonly<Record<string, () => Result>> = {
  "resize_ on requires grad": () => api.arange(4).to("float32").requiresGrad_().resize_(2, 3).shape,
  "numpy requires grad": () => leaf(1).rawView().array.length,
  "out= requires grad input": () => add(leaf(3), 1, { out: zeros(3) }),
};

/** The snippets that need gradients. */
export const gradientSnippets: Readonly<Record<string, () => Result>> = {
  ...versions,
  ...graphs,
  ...functionSnippets,
  ...others,
};
