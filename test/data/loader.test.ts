/** Loaders: each sample once, orders, last batches, streams that are not read ahead, errors. */
import { arange, Generator, manualSeed, type Tensor, tensor, zeros } from "stridewise";
import { collate, DataLoader, type Dataset, randomSplit, Subset, TensorDataset } from "stridewise/data";
import { describe, expect, test } from "vitest";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, k) => k);
const list = (t: Tensor): number[] => t.toArray() as number[];
const inOrder = (values: readonly number[]): number[] => values.slice().sort((a, b) => a - b);
const squares: Dataset<{ x: number; y: number }> = { length: 10, get: (k) => ({ x: k, y: k * k }) };

/** Each form of a source with ten samples, and the numbers of a batch's samples. */
const forms: readonly (readonly [
  string,
  (options: object) => Iterable<unknown> & { length: number },
  (batch: never) => number[],
])[] = [
  ["a tensor", (o) => new DataLoader(arange(10), o), (batch: Tensor) => list(batch)],
  [
    "a tuple of tensors",
    (o) => new DataLoader([arange(20).view([10, 2]), arange(10)], o),
    ([, y]: [Tensor, Tensor]) => list(y),
  ],
  [
    "a record of tensors",
    (o) => new DataLoader({ a: zeros([10, 3]), y: arange(10) }, o),
    ({ y }: { y: Tensor }) => list(y),
  ],
  [
    "a TensorDataset",
    (o) => new DataLoader(new TensorDataset({ y: arange(10) }), o),
    ({ y }: { y: Tensor }) => list(y),
  ],
  ["a dataset", (o) => new DataLoader(squares, o), ({ x }: { x: Tensor }) => list(x)],
  ["a list of numbers", (o) => new DataLoader(numbers(10), o), (batch: Tensor) => list(batch)],
  [
    "a list of records",
    (o) =>
      new DataLoader(
        numbers(10).map((k) => ({ k, name: `${k}` })),
        o,
      ),
    ({ k }: { k: Tensor }) => list(k),
  ],
  [
    "a subset",
    (o) => new DataLoader(new Subset(new TensorDataset(arange(20)), numbers(10)), o),
    (batch: Tensor) => list(batch),
  ],
];

describe.each(forms)("over %s", (_name, make, read) => {
  const epoch = (loader: Iterable<unknown>): number[][] => [...loader].map((batch) => read(batch as never));

  test("every sample comes once, in order", () => {
    const loader = make({ batchSize: 4 });
    expect(loader.length).toBe(3);
    expect(epoch(loader)).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]); // biome-ignore format: batches
    expect(epoch(loader)).toEqual(epoch(loader));
  });

  test("an incomplete last batch can be dropped", () => {
    const loader = make({ batchSize: 4, dropLast: true });
    expect(loader.length).toBe(2);
    expect(epoch(loader).map((batch) => batch.length)).toEqual([4, 4]);
    expect(epoch(make({ batchSize: 5, dropLast: true })).length).toBe(2);
  });

  test("shuffled, every sample comes once, in a different order each epoch, and in the same orders with the same seed", () => {
    const epochs = (seed: number): number[][] => {
      const loader = make({ batchSize: 3, shuffle: true, seed });
      return [0, 1, 2].map(() => epoch(loader).flat());
    };
    const orders = epochs(7);
    for (const order of orders) expect(inOrder(order)).toEqual(numbers(10));
    expect(new Set(orders.map(String)).size).toBe(3);
    expect(epochs(7)).toEqual(orders);
    expect(epochs(8)).not.toEqual(orders);
  });

  test("for await returns the same", async () => {
    const batches: number[][] = [];
    for await (const batch of make({ batchSize: 4 })) batches.push(read(batch as never));
    expect(batches).toEqual(epoch(make({ batchSize: 4 })));
  });
});

test("columns stay together when they are shuffled", () => {
  const loader = new DataLoader({ x: arange(100), y: arange(100).mul(2) }, { batchSize: 7, shuffle: true, seed: 1 });
  for (const { x, y } of loader) expect(y.toArray()).toEqual(x.mul(2).toArray());
});

test("types follow the source", () => {
  for (const [x, y] of new DataLoader([zeros([4, 2]), zeros([4])], { batchSize: 2 })) {
    expect((x satisfies Tensor).shape).toEqual([2, 2]);
    expect((y satisfies Tensor).shape).toEqual([2]);
  }
  for (const { x, name } of new DataLoader([{ x: 1, name: "one" }]))
    expect([(x satisfies Tensor).toArray(), name satisfies string[]]).toEqual([[1], ["one"]]);
  for (const sum of new DataLoader([1, 2, 3], { batchSize: 2, collate: (samples) => samples.reduce((a, b) => a + b) }))
    expect(sum satisfies number).toBe(3);
  // @ts-expect-error a batch size is a number
  expect(() => new DataLoader([1], { batchSize: "2" })).toThrow(
    'DataLoader: batchSize must be a positive integer, got "2"',
  );
});

test("the default generator or a user's generator determines the order", () => {
  const order = (options: object): unknown =>
    [...new DataLoader(numbers(20), { batchSize: 20, shuffle: true, ...options })].map(String);
  manualSeed(3);
  const first = order({});
  expect(order({})).not.toEqual(first);
  manualSeed(3);
  expect(order({})).toEqual(first);
  expect(order({ generator: new Generator(5) })).toEqual(order({ seed: 5 }));
  expect(() => order({ seed: 1, generator: new Generator(1) })).toThrow("got both a seed and a generator");
});

describe("streams", () => {
  test("a generator that has run throws in the second epoch", async () => {
    function* three(): Iterable<number> {
      yield* [1, 2, 3];
    }
    async function* later(): AsyncIterable<number> {
      yield* [1, 2, 3];
    }
    const text = "the source is an iterator, which runs once. Pass the function that creates it: new DataLoader(() => ";
    const loader = new DataLoader(three(), { batchSize: 2 });
    expect([...loader].map(list)).toEqual([[1, 2], [3]]);
    expect(() => [...loader]).toThrow(text);
    const slow = new DataLoader(later());
    const count = async (): Promise<number> => {
      let batches = 0;
      for await (const _ of slow) batches++;
      return batches;
    };
    expect(await count()).toBe(3);
    await expect(count()).rejects.toThrow(text);
    for (const source of [new Set([1, 2]), three])
      for (let epoch = 0, again = new DataLoader(source); epoch < 2; epoch++)
        expect([...again].flatMap(list).slice(0, 2)).toEqual([1, 2]);
  });

  /** Counts reads, and whether the stream was closed. */
  function counted(count: number, failAt = Number.POSITIVE_INFINITY) {
    const seen = { read: 0, closed: false };
    async function* generate() {
      try {
        for (let k = 0; k < count; k++) {
          if (k === failAt) throw new Error(`sample ${k} is broken`);
          seen.read++;
          yield k;
          await Promise.resolve();
        }
      } finally {
        seen.closed = true;
      }
    }
    return { seen, generate };
  }

  test("are collected in order, and are read no further than the batch needs", async () => {
    const { seen, generate } = counted(10);
    const loader = new DataLoader(generate(), { batchSize: 4 });
    expect(loader.length).toBe(Number.POSITIVE_INFINITY);
    const batches: number[][] = [];
    for await (const batch of loader) {
      batches.push(list(batch));
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(seen.read).toBe(batches.flat().length);
    }
    expect(batches).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]); // biome-ignore format: batches
  });

  test("are closed when the loop ends early", async () => {
    const { seen, generate } = counted(10);
    for await (const _batch of new DataLoader(generate(), { batchSize: 2 })) break;
    expect(seen).toEqual({ read: 2, closed: true });
  });

  test("report their errors after the batches before", async () => {
    const { generate } = counted(10, 5);
    const batches: number[][] = [];
    const loop = async () => {
      for await (const batch of new DataLoader(generate(), { batchSize: 2 })) batches.push(list(batch));
    };
    await expect(loop()).rejects.toThrow("sample 5 is broken");
    expect(batches).toEqual([[0, 1], [2, 3]]); // biome-ignore format: batches
  });

  test("returned by a function start again in each epoch; synchronous ones need no await", async () => {
    const { generate } = counted(3);
    const loader = new DataLoader(generate, { batchSize: 2, dropLast: true });
    for (let epoch = 0; epoch < 2; epoch++) {
      const batches: number[][] = [];
      for await (const batch of loader) batches.push(list(batch));
      expect(batches).toEqual([[0, 1]]);
    }
    const sync = new DataLoader(() => new Set([5, 6, 7]), { batchSize: 2 });
    expect([...sync].map(list)).toEqual([[5, 6], [7]]);
  });

  test("cannot be shuffled, nor read without await", () => {
    const { generate } = counted(3);
    expect(() => new DataLoader(generate(), { shuffle: true })).toThrow(
      "cannot be shuffled. Collect them in a list first",
    );
    expect(() => [...new DataLoader(generate())]).toThrow("Write for await (const batch of loader)");
  });
});

test("datasets may return promises, in a loop with await", async () => {
  const slow = { length: 5, get: async (k: number) => ({ x: k }) };
  const loader = new DataLoader(slow, { batchSize: 2 });
  const seen: number[] = [];
  for await (const { x } of loader) seen.push(...list(x));
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  expect(() => [...loader]).toThrow("the dataset returns promises. Write for await");
});

test("errors of a dataset reach the loop", () => {
  const broken: Dataset<number> = {
    length: 3,
    get(k) {
      if (k === 2) throw new Error("no such file");
      return k;
    },
  };
  expect(() => [...new DataLoader(broken)]).toThrow("no such file");
});

describe("randomSplit", () => {
  test("puts each sample into one part, reproducibly with the seed", () => {
    const parts = randomSplit(numbers(10), [7, 3], { seed: 1 });
    expect(parts.map(({ length }) => length)).toEqual([7, 3]);
    expect(inOrder(parts.flatMap(({ indices }) => indices as number[]))).toEqual(numbers(10));
    expect(randomSplit(numbers(10), [7, 3], { seed: 1 }).map(({ indices }) => indices)).toEqual(
      parts.map(({ indices }) => indices),
    );
    expect(randomSplit(numbers(10), [7, 3], { seed: 2 })[0]?.indices).not.toEqual(parts[0]?.indices);
  });

  test.each([
    [10, [0.8, 0.2], [8, 2]],
    [10, [0.25, 0.25, 0.5], [3, 2, 5]],
    [11, [1 / 3, 1 / 3, 1 / 3], [4, 4, 3]],
    [3, [1], [3]],
    [1, [1, 0], [1, 0]],
  ])("of %i samples in parts of %j", (count, lengths, expected) => {
    expect(randomSplit(numbers(count), lengths, { seed: 0 }).map(({ length }) => length)).toEqual(expected);
  });

  test("parts of columns are gathered too", () => {
    const [train, rest] = randomSplit([arange(10), arange(10).mul(3)], [6, 4], { seed: 4 });
    if (train === undefined || rest === undefined) throw new Error("two parts were asked for");
    expect(train.gather).toBeDefined();
    for (const [x, y] of new DataLoader(train, { batchSize: 6 })) {
      expect(x.toArray()).toEqual(train.indices);
      expect(y.toArray()).toEqual(x.mul(3).toArray());
    }
    expect(rest.get(0).map((t) => t.item())).toEqual([rest.indices[0], (rest.indices[0] as number) * 3]);
  });

  test("throws for parts that do not add up", () => {
    expect(() => randomSplit(numbers(10), [5, 4])).toThrow(
      "lengths must sum to the number of samples, or to 1 as fractions, got [5, 4] for 10 samples",
    );
    expect(() => randomSplit(numbers(10), [0.5, 0.4])).toThrow("got [0.5, 0.4] for 10 samples");
    expect(() => randomSplit(numbers(10), [11, -1])).toThrow("lengths must be non-negative numbers");
    expect(() => randomSplit(new Set([1]), [1])).toThrow("have no indices. Collect them in a list first");
  });
});

test("collate joins compatible samples and names the others", () => {
  const sample = (k: number) => ({
    image: zeros([2, 2]) as Tensor,
    label: k,
    ok: k > 0,
    name: `n${k}`,
    box: [k, k + 1],
  });
  const batch = collate([sample(0), sample(1)]);
  expect(batch.image.shape).toEqual([2, 2, 2]);
  expect([batch.label.dtype, batch.ok.dtype]).toEqual(["float32", "bool"]);
  expect(batch.name).toEqual(["n0", "n1"]);
  expect(batch.box.map((t) => t.toArray())).toEqual([[0, 1], [1, 2]]); // biome-ignore format: short
  expect(() => collate([{ x: zeros([2]) }, { x: zeros([3]) }])).toThrow(
    "collate: a sample.x is a tensor of shape [2] in sample 0 of the batch and a tensor of shape [3] in sample 1, which cannot be combined. Pass a collate function",
  );
  expect(() => collate<unknown>([[1, [2, 3]], [1, [2]]])).toThrow("a sample[1] is a list of 2"); // biome-ignore format: short
  expect(() => collate<unknown>([{ a: 1 }, { b: 1 }])).toThrow(
    "an object with the keys a in sample 0 of the batch and an object with the keys b in sample 1",
  );
  expect(() => collate<unknown>([1, true])).toThrow("a number in sample 0 of the batch and a boolean in sample 1");
});

test("mistakes throw named errors", () => {
  expect(() => new DataLoader([1], 32 as never)).toThrow("DataLoader: options must be an object { batchSize, shuffle,");
  expect(() => new DataLoader([1], { batch_size: 2 } as never)).toThrow(
    "DataLoader: there is no option batch_size; the options are batchSize, shuffle, dropLast, collate, seed, generator",
  );
  expect(() => new DataLoader(Promise.resolve([1]) as never)).toThrow("got a promise. Await it first");
  expect(() => randomSplit([1, 2], undefined as never)).toThrow(
    "lengths must be a list, as in [0.8, 0.2], got nothing",
  );
  expect(() => randomSplit([1, 2], [1, 1], 7 as never)).toThrow("options must be an object { seed, generator }, got 7");
  expect(() => new DataLoader([1], { batchSize: 0 })).toThrow(
    "DataLoader: batchSize must be a positive integer, got 0",
  );
  expect(() => new DataLoader(3 as never)).toThrow(
    "DataLoader: the source must be a tensor, a list or object of tensors",
  );
  expect(() => new DataLoader([tensor([1]), tensor([1, 2])])).toThrow(
    "all columns must have the same number of rows, got 1 in column 0 and 2 in column 1",
  );
  expect(() => new TensorDataset({ x: zeros([]) })).toThrow("column x has no sample axis");
  expect(() => new TensorDataset([])).toThrow("nonempty list or object of tensors, got []");
  expect(() => new TensorDataset(zeros([2])).get(2)).toThrow("the index must be 0 to 1, got 2");
  expect(() => new Subset(squares, [10])).toThrow("Subset: an index must be an integer from 0 to 9, got 10");
});

test("an empty list is an empty epoch", () => {
  const loader = new DataLoader([] as number[], { batchSize: 3, shuffle: true });
  expect([loader.length, [...loader]]).toEqual([0, []]);
});
