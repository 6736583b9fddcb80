/**
 * Use after the end: the error names the tensor, what happened, and the line where it happened.
 */
import { keep, scope, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";

const messageOf = (use: () => unknown): string => {
  try {
    use();
  } catch (error) {
    return String(error);
  }
  return "nothing was thrown";
};

describe("use after the end is an error", () => {
  test("after dispose() it names the tensor and the line", () => {
    const a = tensor([[1, 2]]);
    a.label = "weights";
    a.dispose();
    a.dispose();
    expect(a.isDisposed).toBe(true);
    for (const use of [
      () => a.get(0, 0),
      () => a.T,
      () => a.clone(),
      () => a.storage,
      () => a.toArray(),
      () => a.fill_(1),
    ])
      expect(messageOf(use)).toMatch(
        /^DisposedError: \w+: tensor 'weights' \(float32 \[1, 2\]\) was disposed by dispose\(\), at .*disposed\.test\.ts:\d+:\d+.*; it cannot be used anymore$/,
      );
    expect(a.shape).toEqual([1, 2]);
  });

  test("after Symbol.dispose, which `using` calls, it names the line too", () => {
    const a = tensor([1]);
    a[Symbol.dispose]();
    expect(messageOf(() => a.item())).toMatch(/disposed by dispose\(\), at .*disposed\.test\.ts/);
  });

  test("where the properties of Error cannot be changed, it names the line too", () => {
    const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit") as PropertyDescriptor;
    Object.defineProperty(Error, "stackTraceLimit", { ...before, writable: false });
    try {
      const a = tensor([1]);
      a.dispose();
      expect(messageOf(() => a.item())).toMatch(/disposed by dispose\(\), at .*disposed\.test\.ts/);
    } finally {
      Object.defineProperty(Error, "stackTraceLimit", before);
    }
  });

  test("after a scope and after a move it says so", () => {
    let inside: Tensor | undefined;
    const kept = scope(() => {
      inside = tensor([1]);
      return { list: [keep(tensor([2])), tensor([3]).view(1)] };
    });
    expect(messageOf(() => inside?.item())).toContain("was disposed at the end of its scope");
    expect(kept.list.map((t) => t.item())).toEqual([2, 3]);
    const moved = tensor([4]);
    expect(moved.move().item()).toBe(4);
    expect(messageOf(() => moved.item())).toContain("was moved into another tensor");
  });

  test("a scope frees its tensors if the function throws, and rejects promises", () => {
    let inside: Tensor | undefined;
    expect(() =>
      scope(() => {
        inside = tensor([1]);
        throw new Error("stop");
      }),
    ).toThrow("stop");
    expect(inside?.isDisposed).toBe(true);
    expect(() => scope(async () => tensor([1]))).toThrow("scope: the function returned a promise");
    expect(tensor([1]).isDisposed).toBe(false);
  });

  test("a tensor kept by an inner scope still belongs to the outer one", () => {
    let middle: Tensor | undefined;
    scope(() => {
      middle = scope(() => tensor([5]));
      expect(middle.item()).toBe(5);
    });
    expect(middle?.isDisposed).toBe(true);
  });
});

describe("the error names the call that disposed the tensor", () => {
  test("also where the caller is itself called dispose", () => {
    const model = {
      weights: tensor([1]),
      dispose() {
        this.weights.dispose();
      },
    };
    model.dispose();
    expect(messageOf(() => model.weights.item())).toMatch(/disposed by dispose\(\), at .*disposed\.test\.ts:\d+:\d+/);
  });
});

describe("tensors that leave a scope", () => {
  test("leaves at any depth", () => {
    interface Node {
      readonly value: Tensor;
      readonly next: Node | null;
    }
    const list = scope(() => {
      let head: Node | null = null;
      for (let i = 0; i < 20_000; i++) head = { value: i % 1000 === 0 ? tensor([i]) : keep(tensor([i])), next: head };
      return head;
    });
    let sum = 0;
    for (let node: Node | null = list; node !== null; node = node.next) sum += node.value.item() as number;
    expect(sum).toBe((20_000 * 19_999) / 2);
  });

  test("leaves as the key of a map", () => {
    const map = scope(() => new Map([[tensor([3]), "three"]]));
    expect([...map.keys()].map((t) => t.item())).toEqual([3]);
  });

  test("is alive in a promise only if nothing else was made: its rejection is handled", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const used = async () => {
      const t = tensor([1]);
      await null;
      return t.item();
    };
    expect(() => scope(used)).toThrow("scope: the function returned a promise");
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});
