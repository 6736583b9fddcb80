/** Progress: a bar in a fake terminal, lines elsewhere, events, and outputs that break. */
import { Writable } from "node:stream";
import { scope, type Tensor, tensor } from "stridewise";
import { DataLoader, type ProgressOutput, type ProgressState, progress } from "stridewise/data";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const items = (count: number): number[] => Array.from({ length: count }, (_, k) => k);

/** An output that records its text. */
function fake(options: { isTTY?: boolean; columns?: number } = {}) {
  const written: string[] = [];
  const listeners: (() => void)[] = [];
  const output: ProgressOutput = {
    ...options,
    write: (text, done) => {
      written.push(text);
      done?.();
    },
    on: (_event, listener) => listeners.push(listener),
    off: (_event, listener) => listeners.splice(listeners.indexOf(listener), 1),
  };
  return { output, written, listeners };
}

/** The final content of the terminal, line by line: a carriage return moves to the start of the line. */
const screen = (written: readonly string[]): string[] =>
  written
    .join("")
    .split("\n")
    .map((line) => line.split("\r").at(-1)?.replace("\x1b[K", "") ?? "");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});
const pass = (milliseconds: number): unknown => vi.advanceTimersByTime(milliseconds);

describe("in a terminal", () => {
  test("one line is rewritten, with a bar, the rate, the time left and values", () => {
    const { output, written } = fake({ isTTY: true, columns: 100 });
    const bar = progress(items(8), { label: "epoch 1", output });
    const seen: number[] = [];
    for (const item of bar) {
      seen.push(item);
      pass(500);
      bar.set({ loss: 1 / (item + 1) });
    }
    expect(seen).toEqual(items(8));
    expect(written.slice(0, -1).join("")).not.toContain("\n");
    expect(written.map((text) => screen([text])[0])).toMatchInlineSnapshot(`
      [
        "epoch 1    0% ░░░░░░░░░░░░░░░░░░░░  0/8",
        "epoch 1   12% ██░░░░░░░░░░░░░░░░░░  1/8  2/s  0:04 left  loss 1",
        "epoch 1   25% █████░░░░░░░░░░░░░░░  2/8  2/s  0:03 left  loss 0.5",
        "epoch 1   37% ███████░░░░░░░░░░░░░  3/8  2/s  0:03 left  loss 0.3333",
        "epoch 1   50% ██████████░░░░░░░░░░  4/8  2/s  0:02 left  loss 0.25",
        "epoch 1   62% ████████████░░░░░░░░  5/8  2/s  0:02 left  loss 0.2",
        "epoch 1   75% ███████████████░░░░░  6/8  2/s  0:01 left  loss 0.1667",
        "epoch 1   87% █████████████████░░░  7/8  2/s  0:01 left  loss 0.1429",
        "epoch 1  100% ████████████████████  8/8  2/s  in 0:04  loss 0.125",
      ]
    `);
  });

  test("it is drawn at most ten times a second, however fast the loop is", () => {
    const { output, written } = fake({ isTTY: true });
    for (const _ of progress(items(10_000), { output })) pass(1);
    // The start, the end, and 10 seconds between.
    expect(written.length).toBeLessThanOrEqual(102);
    expect(written.length).toBeGreaterThan(90);
  });

  test("it never wraps", () => {
    const { output, written } = fake({ isTTY: true, columns: 30 });
    for (const _ of progress(items(5), { label: "a label that is long", output })) pass(200);
    for (const line of written.map((text) => screen([text])[0] as string)) expect([...line].length).toBeLessThan(30);
  });

  test("a loop that is left early leaves its line behind, ended", () => {
    const { output, written, listeners } = fake({ isTTY: true });
    for (const item of progress(items(10), { label: "x", output })) if (item === 3) break;
    expect(screen(written)).toEqual([expect.stringContaining("3/10"), ""]);
    expect(() => {
      for (const _ of progress(items(2), { output })) throw new Error("in the body");
    }).toThrow("in the body");
    expect(written.at(-1)?.endsWith("\n")).toBe(true);
    return Promise.resolve().then(() => expect(listeners).toEqual([]));
  });
});

describe("elsewhere", () => {
  test("there is a line per tenth, at most one a second, and one at the end", () => {
    const { output, written } = fake();
    for (const _ of progress(items(100), { label: "train", output })) pass(200);
    expect(written).toMatchInlineSnapshot(`
      [
        "train: 10/100 (10%), 5/s, 0:18 left
      ",
        "train: 20/100 (20%), 5/s, 0:16 left
      ",
        "train: 30/100 (30%), 5/s, 0:14 left
      ",
        "train: 40/100 (40%), 5/s, 0:12 left
      ",
        "train: 50/100 (50%), 5/s, 0:10 left
      ",
        "train: 60/100 (60%), 5/s, 0:08 left
      ",
        "train: 70/100 (70%), 5/s, 0:06 left
      ",
        "train: 80/100 (80%), 5/s, 0:04 left
      ",
        "train: 90/100 (90%), 5/s, 0:02 left
      ",
        "train: 100/100 (100%), 5/s, in 0:20
      ",
      ]
    `);
  });

  test("a fast loop is one line", () => {
    const { output, written } = fake();
    for (const _ of progress(items(1000), { output })) pass(0.5);
    expect(written).toEqual(["1000/1000 (100%), 2000/s, in 0:01\n"]);
  });

  test("without a total there is a line a second", () => {
    const { output, written } = fake();
    for (const _ of progress((function* () { yield* items(30); })(), { output })) pass(100); // biome-ignore format: short
    expect(written).toEqual(["10, 10/s\n", "20, 10/s\n", "30, 10/s\n", "30, 10/s, in 0:03\n"]);
  });

  test("every given number of items, if requested", () => {
    const { output, written } = fake();
    for (const _ of progress(items(7), { output, every: 3 })) pass(1);
    expect(written.map((line) => line.split(",")[0])).toEqual(["3/7 (42%)", "6/7 (85%)", "7/7 (100%)"]);
  });
});

test("pages receive events, callbacks are called, and nothing is written if there is no output", () => {
  const [heard, called]: [ProgressState[], ProgressState[]] = [[], []];
  const bar = progress(items(4), { label: "l", output: null, onProgress: (state) => called.push(state) });
  bar.addEventListener("progress", (event) => heard.push((event as CustomEvent<ProgressState>).detail));
  for (const item of bar) {
    pass(100);
    bar.set({ item });
  }
  expect(heard).toEqual(called);
  expect(
    called.map(({ done, fraction, remaining, finished, values }) => [
      done,
      fraction,
      remaining,
      finished,
      values["item"],
    ]),
  ).toEqual([
    [1, 0.25, expect.closeTo(0.3), false, 0],
    [2, 0.5, expect.closeTo(0.2), false, 1],
    [3, 0.75, expect.closeTo(0.1), false, 2],
    [4, 1, null, true, 3],
  ]);
});

test("the total is that of a loader, and each loop starts from 0", () => {
  const { output, written } = fake();
  const bar = progress(new DataLoader(items(10), { batchSize: 4 }), { output });
  for (let epoch = 0; epoch < 2; epoch++) for (const batch of bar) expect(batch.size).toBeGreaterThan(0);
  expect(written).toEqual(["3/3 (100%), in 0:00\n", "3/3 (100%), in 0:00\n"]);
});

test("tensors are read only when they are shown, hold no history, and outlive the scope of the body", () => {
  const { output, written } = fake();
  let reads = 0;
  const x = tensor([0.25], { requiresGrad: true }) as Tensor;
  const bar = progress(items(50), { output });
  for (const _ of bar)
    scope(() => {
      const loss = x.mul(2).sum() as Tensor;
      const detach = loss.detach.bind(loss);
      loss.detach = (() => {
        const plain = detach();
        const item = plain.item.bind(plain);
        plain.item = (() => {
          reads++;
          return item();
        }) as never;
        return plain;
      }) as never;
      bar.set({ loss });
    });
  expect(written).toEqual(["50/50 (100%), in 0:00, loss 0.5\n"]);
  expect(reads).toBe(1);
});

test("async loops, their errors, and sync loops over promises", async () => {
  const { output, written } = fake();
  async function* source() {
    yield 1;
    yield 2;
    throw new Error("the connection is lost");
  }
  const seen: number[] = [];
  const loop = async () => {
    for await (const item of progress(source(), { label: "a", output })) seen.push(item);
  };
  await expect(loop()).rejects.toThrow("the connection is lost");
  expect(seen).toEqual([1, 2]);
  expect(written).toEqual(["a: 2, in 0:00\n"]);
  expect(() => [...progress(source(), { output })]).toThrow("Write for await (const item of progress(...))");
});

test("an output that breaks, or is closed, does not end the loop", () => {
  const throwing: ProgressOutput = {
    isTTY: true,
    write: () => {
      throw new Error("write after end");
    },
  };
  expect([...progress(items(3), { output: throwing })]).toEqual([0, 1, 2]);
  const { output, written } = fake();
  expect([...progress(items(3), { output: { ...output, writable: false } })]).toEqual([0, 1, 2]);
  expect(written).toEqual([]);
});

test("a stream whose other end is closed does not end the process, and gets its listener back", async () => {
  const failed = vi.fn();
  const closed = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")), autoDestroy: false });
  const emit = closed.emit.bind(closed);
  closed.emit = ((event: string, ...rest: unknown[]) => {
    if (event === "error") failed(closed.listenerCount("error"));
    return emit(event as never, ...(rest as never[]));
  }) as never;
  expect([...progress(items(3), { output: closed as unknown as ProgressOutput, every: 1 })]).toEqual([0, 1, 2]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(failed).toHaveBeenCalled();
  expect(failed.mock.calls.every(([listeners]) => listeners === 1)).toBe(true);
  expect(closed.listenerCount("error")).toBe(0);
});

test("no timer is left behind", () => {
  vi.useFakeTimers();
  for (const _ of progress(items(3), { output: fake({ isTTY: true }).output })) pass(200);
  expect(vi.getTimerCount()).toBe(0);
});

test("mistakes throw named errors", () => {
  expect(() => progress(3 as never)).toThrow(
    "progress: the first argument must be an iterable, such as a loader or a list, got 3",
  );
  expect(() => progress([], { every: 0 })).toThrow("progress: every must be a positive integer, got 0");
  expect(() => progress([], { total: Number.NaN })).toThrow("progress: total must be a non-negative number, got NaN");
});
