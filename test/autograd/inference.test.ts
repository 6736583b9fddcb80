/** Inference mode: what its tensors can and cannot do, inside and outside. */
import { describe, expect, test } from "vitest";
import {
  enableGrad,
  inferenceMode,
  isGradEnabled,
  isInferenceModeEnabled,
  noGrad,
  ones,
  type Tensor,
  tensor,
  zeros,
} from "../../src/index.ts";

const leaf = (): Tensor => ones([2], { requiresGrad: true });
const makeTensor = (): Tensor => inferenceMode(() => ones([2]) as Tensor);

describe("inside", () => {
  test("nothing is recorded, whatever is asked for", () => {
    const w = leaf();
    inferenceMode(() => {
      expect(isInferenceModeEnabled()).toBe(true);
      expect(isGradEnabled()).toBe(false);
      expect(w.mul(2).requiresGrad).toBe(false);
      expect(enableGrad(() => w.mul(2).requiresGrad)).toBe(false);
    });
    expect(isInferenceModeEnabled()).toBe(false);
    expect(w.mul(2).requiresGrad).toBe(true);
  });

  test("new tensors are inference tensors, and so are results; views of others are not", () => {
    const [w, plain] = [leaf(), zeros([2]) as Tensor];
    inferenceMode(() => {
      expect([zeros([2]), tensor([1]), w.mul(2), plain.clone()].map((t) => (t as Tensor).isInference)).toEqual([
        true,
        true,
        true,
        true,
      ]);
      expect([w.slice(0, 0, 1), plain.view(2), w.detach()].map((t) => t.isInference)).toEqual([false, false, false]);
    });
    expect(plain.isInference).toBe(false);
  });

  test("writes are allowed to all, and counted where there is a counter", () => {
    const [w, plain] = [leaf(), zeros([2]) as Tensor];
    inferenceMode(() => {
      w.add_(1);
      plain.add_(1);
      makeTensor().add_(1).set(0, 5);
    });
    expect([w.version, plain.version]).toEqual([1, 1]);
    expect(w.isLeaf && w.requiresGrad).toBe(true);
  });

  test("a leaf may ask for gradients, which it then gets outside", () => {
    const x = inferenceMode(() => ones([2], { requiresGrad: true }) as Tensor);
    expect(inferenceMode(() => x.mul(2).requiresGrad)).toBe(false);
    x.mul(2).sum().backward();
    expect(x.grad?.toArray()).toEqual([2, 2]);
    x.slice(0, 0, 1).add(1).sum().backward();
    expect(x.grad?.toArray()).toEqual([3, 2]);
  });

  test("the mode ends with an error, too", () => {
    expect(() =>
      inferenceMode(() => {
        throw new Error("stop");
      }),
    ).toThrow("stop");
    expect(isInferenceModeEnabled()).toBe(false);
    expect((ones([1]) as Tensor).isInference).toBe(false);
  });
});

describe("outside", () => {
  test("an in-place op that cannot be differentiated writes nothing", () => {
    const [y, two] = [leaf().mul(3), inferenceMode(() => ones([2]).mul(2) as Tensor)];
    expect(() => y.mul_(two)).toThrow(/inference/i);
    expect(y.toArray()).toEqual([3, 3]);
    expect(y.version).toBe(0);
  });

  test("views of an inference tensor are ones, copies are not", () => {
    const t = makeTensor();
    expect([t.view(2), t.slice(0, 0, 1), t.detach()].map((each) => each.isInference)).toEqual([true, true, true]);
    expect([t.clone(), t.mul(2)].map((each) => each.isInference)).toEqual([false, false]);
  });

  test("it has no version", () => {
    expect(() => makeTensor().version).toThrow("version: inference tensors have no version counter. Use a clone()");
    expect(() => makeTensor().view(2).version).toThrow(
      "version: inference tensors have no version counter. Use a clone()",
    );
  });

  test("it may be used where nothing has to be kept, and is refused where it has", () => {
    const [w, t] = [leaf(), makeTensor()];
    expect(w.add(t).requiresGrad).toBe(true);
    w.add(t).sum().backward();
    expect(w.grad?.toArray()).toEqual([1, 1]);
    expect(noGrad(() => w.mul(t)).toArray()).toEqual([1, 1]);
    expect(() => w.mul(t)).toThrow(
      "Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal tensor and use it in autograd.",
    );
    expect(w.mul(t.clone()).requiresGrad).toBe(true);
  });

  test.each<[string, (t: Tensor) => unknown]>([
    ["a write", (t) => t.add_(1)],
    ["a write of one element", (t) => t.set(0, 2)],
    ["a write to a view", (t) => t.slice(0, 0, 1).fill_(2)],
    ["a write without recording", (t) => noGrad(() => t.mul_(2))],
    ["a recorded write", (t) => t.mul_(leaf())],
    ["a copy into it", (t) => t.copy_(zeros([2]))],
  ])("%s is refused, and changes nothing", (_name, write) => {
    const t = makeTensor();
    expect(() => write(t)).toThrow(
      "in-place update to an inference tensor outside inferenceMode is not allowed. Write to a clone()",
    );
    expect(t.toArray()).toEqual([1, 1]);
  });

  test("it cannot ask for gradients", () => {
    const text = "Setting requiresGrad on inference tensor outside inferenceMode is not allowed. Use a clone()";
    expect(() => makeTensor().requiresGrad_()).toThrow(text);
    expect(() => {
      makeTensor().requiresGrad = true;
    }).toThrow(text);
    expect(makeTensor().requiresGrad_(false).requiresGrad).toBe(false);
  });

  test("views of others that were made inside are not written to where there is recording", () => {
    const b = leaf().mul(1);
    const [v, plain] = inferenceMode(() => [b.slice(0, 0, 1), (zeros([2]) as Tensor).slice(0, 0, 1)] as const);
    const text = "A view was created inside inferenceMode and is being modified in place outside of it";
    expect(() => v.add_(1)).toThrow(text);
    const base = zeros([2]) as Tensor;
    const part = inferenceMode(() => base.slice(0, 0, 1));
    expect(part.add_(1).toArray()).toEqual([1]);
    expect(() => part.mul_(leaf().slice(0, 0, 1))).toThrow(text);
    expect(plain.isInference).toBe(true);
  });
});
