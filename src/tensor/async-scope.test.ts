/**
 * Scopes of asynchronous code: tensors end with their scope and with no other, however scopes interleave.
 */
import { DisposedError, keep, memoryStatistics, type OpenScope, ones, scope, type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";

const live = (): number => memoryStatistics().live;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const isDisposed = (t: Tensor): boolean => {
  try {
    t.toArray();
    return false;
  } catch (error) {
    if (error instanceof DisposedError) return true;
    throw error;
  }
};

test("an asynchronous scope frees tensors that do not leave it, even after an await", async () => {
  const before = live();
  let inside: Tensor | undefined;
  const result = await scope.async(async () => {
    const a = ones([1000]).add(1);
    await turn();
    inside = a.mul(3);
    await null;
    return { sum: inside.sum(), list: [a.at(0).clone()] };
  });
  expect([result.sum.item(), result.list[0]?.item(), isDisposed(inside as Tensor)]).toEqual([6000, 2, true]);
  result.sum.dispose();
  result.list[0]?.dispose();
  expect(live()).toBe(before);
});

test("a rejected function frees everything, kept tensors included, as a synchronous scope does", async () => {
  const before = live();
  const failing = scope.async(async (s) => {
    s.keep(ones([100]));
    await turn();
    keep(ones([100]));
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(live()).toBe(before);
});

test("a handle frees at its end, keeps the tensors passed to keep, and throws if it runs after it was closed", async () => {
  const before = live();
  const handle = scope.open();
  const [a, b] = handle.run(() => [ones([10]), ones([20])] as const);
  const c = ones([30]);
  handle.keep(b);
  await turn();
  await handle.run(async () => {
    await turn();
    a.add(1);
  });
  handle.close();
  handle.close();
  expect([isDisposed(a), isDisposed(b), isDisposed(c)]).toEqual([true, false, false]);
  expect(() => handle.run(() => 1)).toThrow("scope: this scope is closed. Open another with scope.open().");
  b.dispose();
  c.dispose();
  expect(live()).toBe(before);
});

test("handles end by using and by await using", async () => {
  const end = scope.open();
  const t = end.run(() => ones([2]));
  await end[Symbol.asyncDispose]();
  const other = scope.open();
  const u = other.run(() => ones([2]));
  other[Symbol.dispose]();
  expect([isDisposed(t), isDisposed(u)]).toEqual([true, true]);
});

test("tensors that leave an inner scope belong to the outer one, if that is still open", async () => {
  let inner: Promise<Tensor> | undefined;
  const t = await scope.async(async () => {
    inner = scope.async(async () => {
      await turn();
      await turn();
      return ones([3]);
    });
    const nested = await scope.async(async () => scope(() => ones([4])));
    return isDisposed(nested) ? null : nested.add(1);
  });
  const late = (await inner) as Tensor;
  expect([t?.toArray(), isDisposed(late)]).toEqual([[2, 2, 2, 2], false]);
  late.dispose();
});

test("scope tells asynchronous functions where to go", () => {
  expect(() => scope(async () => ones([1]))).toThrow(
    "scope: the function returned a promise, and after its first await it runs outside of scope. Use scope.async(async () => ...)",
  );
});

/** A task: steps that create tensors in its own scope, wait, open scopes inside, and look whether its tensors are alive. */
async function task(next: (limit: number) => number, depth: number, faults: string[]): Promise<void> {
  const mine: Tensor[] = [];
  const body = async (handle: OpenScope | null): Promise<Tensor> => {
    for (let step = 0; step < 6; step++) {
      const choice = next(7);
      if (choice === 0) await null;
      else if (choice === 1) await turn();
      else if (choice === 2) await new Promise((resolve) => setTimeout(resolve, next(2)));
      else if (choice === 3 && depth > 0) await task(next, depth - 1, faults);
      else if (choice === 4) mine.push(scope(() => tensor([depth, step]).add(1)));
      else if (choice === 5 && handle !== null) mine.push(handle.run(() => tensor([depth, step])));
      else mine.push(tensor([depth, step]).mul(2));
      for (const t of mine)
        if (isDisposed(t)) faults.push(`a tensor of depth ${depth} ended before its scope, step ${step}`);
    }
    mine.push(tensor([7]));
    return mine.at(-1) as Tensor;
  };
  const result = await scope.async(body);
  if (isDisposed(result)) faults.push("the result has ended");
  for (const t of mine) if (t !== result && !isDisposed(t)) faults.push("a tensor outlives its scope");
  result.dispose();
}

test("law: interleaved scopes never end each other's tensors, and leave nothing", async () => {
  const before = live();
  const faults: string[] = [];
  for (let seed = 1; seed <= 20; seed++) {
    let state = seed;
    const next = (limit: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      return Math.floor(((state >>> 0) / 2 ** 32) * limit);
    };
    await Promise.all(Array.from({ length: 10 }, () => task(next, 2, faults)));
  }
  expect(faults).toEqual([]);
  expect(live()).toBe(before);
});

test("a promise inside the result is refused, since its tensors would be disposed", async () => {
  const later = async () => tensor([1]).add(1);
  const text =
    "returned a promise, and after its first await it runs outside of scope. Use scope.async(async () => ...)";
  for (const inside of [() => [later(), later()], () => ({ a: { b: later() } }), () => new Map([["a", later()]])]) {
    expect(() => scope<unknown>(inside)).toThrow(text);
    await expect(scope.async<unknown>(async () => inside())).rejects.toThrow("and await each promise in it");
  }
  const kept = await scope.async(async () => Promise.all([later()]));
  expect(kept.map((t) => t.toArray())).toEqual([[2]]);
});
