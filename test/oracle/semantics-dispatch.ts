/**
 * PyTorch's recorded snippets about dispatch, each transcribed by its name: `TorchDispatchMode` and `TorchFunctionMode` are modes here,
 * subclasses with `__torch_dispatch__` or `__torch_function__` are wrappers, and `CompositeImplicitAutograd` is "composite".
 */
import * as api from "../../src/index.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import type { Result } from "./torch-semantics.ts";

type Unary = (x: Tensor) => Tensor;

const ones = (...shape: number[]): Tensor => api.ones(shape);
const floats = (...values: number[]): Tensor => api.tensor(values);
const leaf = (...shape: number[]): Tensor => api.ones(shape, { requiresGrad: true });
const onMeta = (...shape: number[]): Tensor => api.ones(shape, { device: "meta" });
const keysOf = (t: Tensor): string => api.formatKeySet(api.keysOf(t));

/** A mode that writes something down about each op that it sees. */
const noting = (note: (op: api.Operator) => unknown): api.Mode => ({
  call(op, _args, next) {
    note(op);
    return next();
  },
});

/** The ops that a function calls. */
function opsOf(fn: () => unknown): string[] {
  const log: string[] = [];
  api.withMode(
    noting((op) => log.push(op.name)),
    fn,
  );
  return log;
}

/** What a function gives with a library that goes with it. */
function withLibrary<T>(fn: (own: api.Library) => T): T {
  const own = api.library("recorded");
  try {
    return fn(own);
  } finally {
    own.dispose();
  }
}

/** Each snippet by its name: what it computes for `r`, or what it does that is refused. */
export const dispatchSnippets: Readonly<Record<string, () => Result>> = {
  "keyset of cpu tensor": () => keysOf(ones(1)),
  "keyset requires grad same": () => [keysOf(leaf(1)) === keysOf(ones(1))],
  "conj tensor keyset has Conjugate": () => keysOf(api.tensor([{ re: 0, im: 1 }]).conj()),
  "library define/impl": () =>
    withLibrary((own) => {
      const twice = own.define<Unary>("twice");
      own.register(twice, "cpu", (x: Tensor) => x.mul(2));
      return twice(ones(2));
    }),
  "library CompositeImplicitAutograd differentiable": () =>
    withLibrary((own) => {
      const square = own.define<Unary>("sq");
      own.register(square, "composite", (x: Tensor) => x.mul(x));
      const a = leaf(2);
      square(a).sum().backward();
      return a.grad;
    }),
  "override existing op and call through redispatch guard": () => {
    let calls = 0;
    const during = withLibrary((own) => {
      own.register(api.sinc, "cpu", (x: Tensor) => {
        calls++;
        return x.abs();
      });
      return api.sinc(floats(-2));
    });
    return [during, calls, api.sinc(floats(0))];
  },
  "torch_dispatch mode logs": () => {
    const a = leaf(2);
    return opsOf(() => a.mul(2).sum().backward());
  },
  "torch_dispatch mode nested order": () => {
    const log: string[] = [];
    const named = (name: string): api.Mode => noting(() => log.push(name));
    api.withMode(named("outer"), () => api.withMode(named("inner"), () => ones(1).mul(2)));
    return log;
  },
  "torch_dispatch subclass wrapper": () => {
    class W extends api.WrapperTensor {
      override call(op: api.Operator, args: readonly unknown[]): unknown {
        const out = op.call(args.map((arg) => (arg instanceof W ? arg.value : arg)));
        return out instanceof api.Tensor ? new W(out) : out;
      }
    }
    const y = new W(ones(2)).add(1);
    return y instanceof W ? [y.constructor.name, y.value] : y;
  },
  "torch_function mode": () => opsOf(() => api.add(ones(1), 1)),
  "torch_function subclass preserved": () => {
    class Sub extends api.WrapperTensor {}
    const x = new Sub(ones(2));
    return [x.add(1), x.at(0), api.sum(x)].map((t) => t.constructor.name);
  },
  "exclude key guard": () => {
    const x = leaf(1);
    return api.withKeys({ exclude: api.keySet("autograd") }, () => x.mul(2)).requiresGrad;
  },
  "mix devices error": () => ones(2).add(onMeta(2)),
  "cpu scalar with meta ok": () => (api.tensor(2) as Tensor).add(onMeta(2)).shape,
  "vmap in-place error": () =>
    api.vmap((x: Tensor, y: Tensor) => x.add_(y), { inAxes: [null, 0] })(api.zeros([2]), ones(3, 2)),
  "vmap item error": () => api.vmap((x: Tensor) => x.item() as never)(ones(3)),
  "grad transform in-place on captured": () => {
    const c: Tensor = api.zeros([1]);
    return api.gradOf((x) => {
      c.add_(x);
      return x.sum();
    })(ones(1));
  },
};
