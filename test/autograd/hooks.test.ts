/** Hooks on nodes, on tensors and on what is kept: their order, what they may change, and what they are refused. */
import { describe, expect, test } from "vitest";
import {
  AutogradError,
  enableGrad,
  grad,
  isGradEnabled,
  noGrad,
  ones,
  savedTensorHooks,
  setGradEnabled,
  type Tensor,
  tensor,
} from "../../src/index.ts";

const leaf = (...values: number[]): Tensor => tensor(values, { requiresGrad: true });

describe("hooks of a node", () => {
  test("run around it: first those of the tensor, then before, then after", () => {
    const a = leaf(1);
    const b = a.mul(2);
    const seen: string[] = [];
    b.registerHook((g) => {
      seen.push(`tensor ${g.item()}`);
      return g.mul(2);
    });
    b.gradFn?.registerPrehook(([g]) => {
      seen.push(`before ${g?.item()}`);
      return [(g as Tensor).mul(5)];
    });
    b.gradFn?.registerHook(([input], [output]) => {
      seen.push(`after ${input?.item()} ${output?.item()}`);
      return [(input as Tensor).add(1)];
    });
    b.backward();
    expect(seen).toEqual(["tensor 1", "before 2", "after 20 10"]);
    expect(a.grad?.toArray()).toEqual([21]);
  });

  test("captured gradients are those after the tensor's own hooks, before the node runs", () => {
    const a = leaf(1);
    const b = a.mul(2);
    const c = b.mul(3);
    b.gradFn?.registerPrehook(([g]) => [(g as Tensor).mul(5)]);
    b.registerHook((g) => g.mul(7));
    expect(grad(c, [b, a]).map((g) => g.item())).toEqual([21, 210]);
  });

  test("can be taken back", () => {
    const a = leaf(1);
    const b = a.mul(2);
    const handle = b.gradFn?.registerPrehook(([g]) => [(g as Tensor).mul(5)]);
    handle?.remove();
    b.backward();
    expect(a.grad?.toArray()).toEqual([2]);
  });

  test("a gradient of a wrong shape is refused", () => {
    const b = leaf(1, 2).mul(2);
    b.gradFn?.registerHook(() => [ones([3]) as Tensor]);
    expect(() => b.sum().backward()).toThrow(/MulBackward0 returned an invalid gradient at index 0/);
  });

  test("savedTensors lists saved tensors until the backward pass frees them", () => {
    const a = leaf(2, 3);
    const y = a.exp();
    expect(y.gradFn?.savedTensors.map((t) => t.toArray())).toEqual([y.toArray()]);
    expect(a.add(1).gradFn?.savedTensors).toEqual([]);
    y.sum().backward();
    expect(() => y.gradFn?.savedTensors).toThrow(/directly access saved tensors after they have already been freed/);
  });
});

describe("hooks of saved tensors", () => {
  const log = (seen: string[]) => ({
    pack(t: Tensor): number[] {
      seen.push("pack");
      return t.toArray() as number[];
    },
    unpack(numbers: number[]): Tensor {
      seen.push("unpack");
      return tensor(numbers);
    },
  });

  test("see every tensor once, and gradients come out the same", () => {
    const seen: string[] = [];
    const [a, b] = [leaf(2, 3), leaf(4, 5)];
    const y = savedTensorHooks(log(seen), () => a.mul(b).exp());
    expect(seen).toEqual(["pack", "pack", "pack"]);
    const z = y.mul(a);
    z.sum().backward();
    expect(seen.slice(3)).toEqual(["unpack", "unpack", "unpack"]);
    const [c, d] = [leaf(2, 3), leaf(4, 5)];
    c.mul(d).exp().mul(c).sum().backward();
    expect(a.grad?.toArray()).toEqual(c.grad?.toArray());
    expect(b.grad?.toArray()).toEqual(d.grad?.toArray());
  });

  test("nest: the innermost are asked", () => {
    const [outer, inner]: string[][] = [[], []];
    const a = leaf(2);
    savedTensorHooks(log(outer as string[]), () => {
      savedTensorHooks(log(inner as string[]), () => a.exp());
      a.sin();
    });
    a.cos();
    expect([outer, inner]).toEqual([["pack"], ["pack"]]);
  });

  test("gradients of gradients use the packed values", () => {
    const a = leaf(2);
    const y = savedTensorHooks(log([]), () => a.mul(a).mul(a));
    const first = grad(y, a, { createGraph: true });
    expect(first.item()).toBe(12);
    expect(grad(first, a).item()).toBe(12);
  });

  test("run without recording, and a pack that writes is refused", () => {
    const enabled: boolean[] = [];
    const a = leaf(2);
    const pack = (t: Tensor): Tensor => {
      enabled.push(isGradEnabled());
      return t.clone();
    };
    savedTensorHooks({ pack, unpack: (t) => t }, () => a.exp())
      .sum()
      .backward();
    expect(enabled).toEqual([false]);
    expect(() => savedTensorHooks({ pack: (t) => t.add_(1), unpack: (t) => t }, () => leaf(1).exp())).toThrow(
      /a pack hook modified its input in place\. Write to a clone\(\)/,
    );
  });

  test("packed values are not checked for writes", () => {
    const a = leaf(2);
    const b = a.mul(1);
    const y = savedTensorHooks({ pack: (t) => t.clone(), unpack: (t) => t }, () => b.mul(b));
    b.add_(1);
    y.sum().backward();
    expect(a.grad?.toArray()).toEqual([4]);
  });

  test("tensors that unpack makes and keeps stay its own", () => {
    const kept: Tensor[] = [];
    const a = leaf(3);
    const unpack = (numbers: number[]): Tensor => {
      const t: Tensor = tensor(numbers);
      kept.push(t);
      return t;
    };
    const y = savedTensorHooks({ pack: (t) => t.toArray() as number[], unpack }, () => a.square());
    y.sum().backward();
    expect(kept.map((t) => t.toArray())).toEqual([[3]]);
  });

  test("wrong hooks are refused", () => {
    expect(() => savedTensorHooks({ pack: 1 } as never, () => 1)).toThrow(AutogradError);
    const y = savedTensorHooks({ pack: () => 1, unpack: () => 2 as never }, () => leaf(2).exp());
    expect(() => y.backward()).toThrow(/unpack must return a tensor, got 2\./);
  });
});

describe("scopes", () => {
  test("setGradEnabled records or does not, inside the other too", () => {
    const a = leaf(1);
    expect(setGradEnabled(false, () => a.mul(2).requiresGrad)).toBe(false);
    expect(noGrad(() => setGradEnabled(true, () => a.mul(2).requiresGrad))).toBe(true);
    expect(enableGrad(() => a.mul(2).requiresGrad)).toBe(true);
  });

  test("detach_ makes a leaf of a result, and is refused for views", () => {
    const a = leaf(1, 2);
    const b = a.mul(2);
    expect(b.detach_()).toBe(b);
    expect([b.requiresGrad, b.isLeaf, b.gradFn]).toEqual([false, true, null]);
    expect(b.mul(2).requiresGrad).toBe(false);
    expect(() => a.mul(2).view(2).detach_()).toThrow("Can't detach views in-place. Use detach() instead");
    expect(a.detach_().requiresGrad).toBe(false);
  });
});
