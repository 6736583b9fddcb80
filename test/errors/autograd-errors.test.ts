/**
 * The errors of autograd as the user reads them: writes to leaves and to views that may not change, tensors that
 * changed while a gradient still needs them, gradients of a wrong shape or dtype, a second backward pass, inference
 * tensors, user-defined functions.
 */
import { expect, test } from "vitest";
import {
  add,
  defineFunction,
  detectAnomaly,
  grad,
  gradcheck,
  inferenceMode,
  noGrad,
  ones,
  type SavedTensorHooks,
  savedTensorHooks,
  type Tensor,
  tensor,
  zeros,
} from "../../src/index.ts";

const leaf = (...shape: number[]): Tensor => ones(shape, { requiresGrad: true });
const plain = (...shape: number[]): Tensor => zeros(shape);
const result = (...shape: number[]): Tensor => leaf(...shape).mul(1);
const head = (t: Tensor): Tensor => t.slice(0, 0, 1);
const inferred = (...shape: number[]): Tensor => inferenceMode(() => ones(shape) as Tensor);
const wrong = <T>(value: unknown): T => value as T;

/** A call that saves `saved`, a write to it, and the backward pass. */
function modified(use: (saved: Tensor) => Tensor, write: (saved: Tensor) => unknown, saved = result(2)): void {
  const y = use(saved).sum();
  write(saved);
  y.backward();
}

const viewed = defineFunction({
  name: "Viewed",
  forward: (_, x: Tensor) => x.view(-1),
  backward: (_, g: Tensor) => g,
});

const mistakes: Readonly<Record<string, () => unknown>> = {
  "leaf: written to": () => leaf(2).add_(1),
  "leaf: filled": () => leaf(2).fill_(0),
  "leaf: one element set": () => leaf(2).set(0, 1),
  "leaf: part assigned": () => leaf(2).assignAt([0], 1),
  "leaf: as out": () => add(plain(2), 1, { out: leaf(2) }),
  "leaf: a view written to": () => head(leaf(2)).add_(1),
  "leaf: a view of a view written to": () => head(leaf(2, 2)).view(2).mul_(2),
  "leaf: axes exchanged": () => leaf(2, 3).transpose_(0, 1),
  "leaf: resized": () => leaf(2).resize_(3),
  "result: resized": () => result(2).resize_(3),
  "result: requiresGrad_(false)": () => result(2).requiresGrad_(false),
  "leaf: of integers": () => tensor([1, 2], { dtype: "int32" }).requiresGrad_(),
  "leaf: created with integers": () => zeros([2], { dtype: "int64", requiresGrad: true }),

  "view: created in noGrad, of a result": () => {
    const b = result(2);
    return noGrad(() => head(b)).add_(1);
  },
  "view: created in noGrad, of a leaf": () => {
    const a = leaf(2);
    return noGrad(() => head(a)).add_(1);
  },
  "view: created in noGrad, written with a gradient": () => {
    const a = plain(2);
    return noGrad(() => head(a)).mul_(leaf(1));
  },
  "view: of a view created in noGrad": () => {
    const b = result(4);
    return head(noGrad(() => b.slice(0, 0, 2))).add_(1);
  },
  "view: created in inference mode": () => {
    const b = result(2);
    return inferenceMode(() => head(b)).add_(1);
  },
  "view: one of several": () => result(2).unbind()[0]?.add_(1),
  "view: one of several pieces": () => result(4).split(2)[1]?.add_(1),
  "view: one of several, its base written to": () => {
    const b = result(2);
    const [, v] = b.unbind();
    b.mul_(2);
    return v?.mul(2);
  },
  "view: returned by a user-defined function": () => viewed(result(2)).add_(1),
  "view: returned by a user-defined function, its base written to": () => {
    const b = result(2);
    const v = viewed(b);
    b.mul_(2);
    return v.mul(2);
  },
  "view: detached in place": () => head(result(2)).detach_(),
  "view: expanded, written to": () => result(1).expand(3).add_(1),

  "version: an operand written to": () =>
    modified(
      (b) => b.mul(b),
      (b) => b.add_(1),
    ),
  "version: written to twice": () =>
    modified(
      (b) => b.mul(b),
      (b) => b.add_(1).add_(1),
    ),
  "version: a result written to": () => {
    const b = leaf(2).exp();
    b.add_(1);
    b.sum().backward();
  },
  "version: a view of it written to": () =>
    modified(
      (b) => b.sin(),
      (b) => head(b).zero_(),
    ),
  "version: a detached view written to": () =>
    modified(
      (b) => b.square(),
      (b) => b.detach().add_(1),
    ),
  "version: a leaf written to without recording": () =>
    modified(
      (w) => w.square(),
      (w) => noGrad(() => w.add_(1)),
      leaf(2),
    ),
  "version: a matrix written to": () =>
    modified(
      (b) => b.matmul(b),
      (b) => b.add_(1),
      leaf(2, 2).to("float64").mul(1),
    ),
  "version: by out": () =>
    modified(
      (b) => b.square(),
      (b) => noGrad(() => add(plain(2), 1, { out: b })),
    ),
  "version: in a user-defined function": () =>
    modified(
      defineFunction({
        name: "Cube",
        forward(context, x: Tensor) {
          context.saveForBackward(x);
          return x.pow(3);
        },
        backward: ({ savedTensors: [x] }, g: Tensor) => (x as Tensor).square().mul(3).mul(g),
      }),
      (b) => b.add_(1),
    ),

  "out: an argument requires gradients": () => add(leaf(3), 1, { out: plain(3) }),

  "grad: of a different size": () => {
    leaf(2).grad = ones([3]) as Tensor;
  },
  "grad: of a different dtype": () => {
    leaf(2).grad = ones([2], { dtype: "float64" }) as Tensor;
  },
  "grad: a value that is not a tensor": () => {
    leaf(2).grad = wrong<Tensor>(1);
  },

  "backward: of several elements": () => leaf(2).mul(2).backward(),
  "backward: of a complex number": () => leaf(1).to("complex64").mul({ re: 0, im: 1 }).backward(),
  "backward: of a tensor that does not require grad": () => plain().backward(),
  "backward: a gradient of a different shape": () =>
    leaf(2)
      .mul(2)
      .backward(ones([3])),
  "backward: twice": () => {
    const y = leaf(2).exp().sum();
    y.backward();
    y.backward();
  },
  "backward: through a part that was freed": () => {
    const b = leaf(2).exp();
    b.sum().backward();
    b.mul(2).sum().backward();
  },
  "backward: inputs that do not require grad": () =>
    leaf(2)
      .sum()
      .backward(null, { inputs: [plain(2)] }),
  "grad: an input that is not used": () => grad(leaf(2).sum(), [leaf(2)]),
  "grad: of a tensor that does not require grad": () => grad(plain(), [leaf(2)]),
  "savedTensors: after backward": () => {
    const y = leaf(2).exp();
    y.sum().backward();
    return y.gradFn?.savedTensors;
  },

  "hook: on a tensor that does not require grad": () => plain(2).registerHook((g) => g),
  "hook: a gradient of a different shape": () => {
    const b = result(2);
    b.gradFn?.registerHook(() => [ones([3]) as Tensor]);
    b.sum().backward();
  },
  "retainGrad: of a tensor that does not require grad": () => plain(2).retainGrad(),
  "savedTensorHooks: without unpack": () =>
    savedTensorHooks(wrong<SavedTensorHooks<Tensor>>({ pack: (t: Tensor) => t }), () => 0),
  "savedTensorHooks: pack writes": () =>
    savedTensorHooks({ pack: (t) => t.add_(1), unpack: (t) => t }, () => leaf(2).exp()),
  "savedTensorHooks: unpack returns a number": () =>
    savedTensorHooks({ pack: () => 1, unpack: wrong<() => Tensor>(() => 1) }, () => leaf(2).exp())
      .sum()
      .backward(),

  "inference: its version": () => inferred(2).version,
  "inference: saved for a gradient": () => leaf(2).mul(inferred(2)),
  "inference: a view of it saved for a gradient": () => leaf(1).mul(head(inferred(2))),
  "inference: requiresGrad_()": () => inferred(2).requiresGrad_(),
  "inference: written to outside": () => inferred(2).add_(1),
  "inference: a view of it written to outside": () => noGrad(() => head(inferred(2)).fill_(2)),
  "inference: written with a gradient": () => inferred(2).mul_(leaf(2)),
  "inference: one element set outside": () => inferred(2).set(0, 1),

  "function: too many gradients": () =>
    defineFunction({ name: "Two", forward: (_, x: Tensor) => x.mul(1), backward: (_, g: Tensor) => [g, g] })(leaf(2))
      .sum()
      .backward(),
  "function: a gradient of a different shape": () =>
    defineFunction({ name: "Sum", forward: (_, x: Tensor) => x.sum(), backward: (_, g: Tensor) => g })(
      leaf(2),
    ).backward(),
  "function: a leaf marked as written to": () =>
    defineFunction({
      name: "Doubled",
      forward(context, x: Tensor) {
        context.markDirty(x);
        return x.mul_(2);
      },
      backward: (_, g: Tensor) => g.mul(2),
    })(leaf(2)),
  "anomaly: NaN": () => detectAnomaly(() => zeros([1], { requiresGrad: true }).sqrt().mul(0).sum().backward()),
  "gradcheck: a wrong gradient": () =>
    gradcheck(
      defineFunction({ forward: (_, x: Tensor) => x.mul(x), backward: (_, g: Tensor) => g }),
      tensor([0.5, 2], { dtype: "float64", requiresGrad: true }),
      { eps: 2 ** -20 },
    ),
  "rawView: of a tensor that requires grad": () => leaf(2).rawView(),
};

test("every error names the function, the rule and the remedy", async () => {
  const messages = Object.entries(mistakes).map(([name, run]) => {
    try {
      return `${name}\n  no error: ${String(run())}`;
    } catch (error) {
      const { name: kind, message } = error as Error;
      // Paths of files differ between machines.
      const withoutStack = message.replace(/\n +at .*/s, "\n    at ...");
      return `${name}\n  ${kind}: ${withoutStack.replaceAll("\n", "\n  ")}`;
    }
  });
  await expect(`${messages.join("\n\n")}\n`).toMatchFileSnapshot("autograd-errors.txt");
});

test.each(Object.entries(mistakes))("%s: an error of this library", (_name, run) => {
  expect(run).toThrow(
    expect.objectContaining({
      name: expect.stringMatching(/^(Autograd|Storage|Write)Error$/),
      message: expect.stringMatching(/^(Inference|[a-zA-Z]+_?: )/),
    }),
  );
});
