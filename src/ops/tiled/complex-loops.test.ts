/** complexLoops against plain nested loops, on layouts of every kind; its errors; cases that mllm's TiledTensor computes wrongly. */
import {
  complex,
  composition,
  gmem,
  makeLayout,
  makeTensor,
  range,
  Storage,
  swizzle,
  type Tensor,
  tensor,
  zeros,
} from "stridewise";
import { expect, test } from "vitest";
import { CpuAllocator } from "../../storage/allocator.ts";
import { tensorOver } from "../../tensor/tensor.ts";
import { tiled } from "./tiled.ts";

const counted = (...shape: number[]): Tensor =>
  tensor(Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => i)).reshape(shape) as Tensor;

/** Every value of the variables, the last the fastest. */
function tuples(extents: readonly number[]): number[][] {
  return extents.reduce<number[][]>(
    (all, extent) => all.flatMap((head) => Array.from({ length: extent }, (_, i) => [...head, i])),
    [[]],
  );
}

type Index = (variables: readonly number[]) => number;

function expectVisits(t: Tensor, expressions: string[], indices: Index[], extents: readonly number[], label: string) {
  const seen: unknown[] = [];
  tiled(t).complexLoops(
    expressions,
    (data, position, coords) => {
      seen.push([data[position], ...coords]);
    },
    { extents },
  );
  const expected = tuples(extents).map((variables) => {
    const coords = indices.map((index) => index(variables));
    const full = [...coords, ...new Array<number>(t.rank - coords.length).fill(0)];
    return [t.get(...full), ...coords];
  });
  expect(seen, label).toEqual(expected);
}

const layouts: readonly (readonly [string, () => Tensor])[] = [
  ["row-major", () => counted(6, 8)],
  ["transposed", () => counted(8, 6).transpose(0, 1) as Tensor],
  ["a slice with steps", () => counted(13, 30).at(range(1, null, 2), range(3, 27, 3)) as Tensor],
  ["turned", () => counted(6, 8).at(range(null, null, -1), range(null, null, -1)) as Tensor],
  [
    "nested",
    () =>
      makeTensor(
        gmem(Float32Array.from({ length: 48 }, (_, i) => i)),
        makeLayout(
          [
            [2, 3],
            [4, 2],
          ],
          [
            [24, 1],
            [3, 12],
          ],
        ),
      ) as Tensor,
  ],
  [
    "swizzled",
    () =>
      makeTensor(
        gmem(Float32Array.from({ length: 64 }, (_, i) => i)),
        composition(swizzle(3, 0, 3), makeLayout([8, 8])),
      ) as Tensor,
  ],
  ["rank 3", () => counted(6, 8, 2)],
];

test.each(layouts)("%s: the table of loops equals plain loops", (_name, make) => {
  const t = make();
  const table: [string[], Index[], number[]][] = [
    [
      ["_0", "_1"],
      [([i]) => i as number, ([, j]) => j as number],
      [6, 8],
    ],
    [
      ["_0", "_1 * 2 + 1"],
      [([i]) => i as number, ([, j]) => (j as number) * 2 + 1],
      [4, 2],
    ],
    [["5 - _0"], [([i]) => 5 - (i as number)], [6]],
    [
      ["_1", "_0"],
      [([, j]) => j as number, ([i]) => i as number],
      [8, 6],
    ],
    [
      ["_0 + _1", "_2"],
      [([i, j]) => (i as number) + (j as number), ([, , k]) => k as number],
      [4, 3, 8],
    ],
    [
      ["_0 / 2", "_0 % 4 + _1"],
      [([i]) => Math.floor((i as number) / 2), ([i, j]) => ((i as number) % 4) + (j as number)],
      [12, 5],
    ],
    [
      ["3", "_0 * _1"],
      [() => 3, ([i, j]) => (i as number) * (j as number)],
      [3, 4],
    ],
    [["min(_0, 2)", "abs(_0 - 3)"], [([i]) => Math.min(i as number, 2), ([i]) => Math.abs((i as number) - 3)], [8]],
    [[], [], []],
    [[], [], [3]],
  ];
  for (const [expressions, indices, extents] of table)
    expectVisits(t, expressions, indices, extents, `${expressions} over ${extents}`);
});

test("random affine loops over random strides equal plain loops", () => {
  let state = 7;
  const roll = (low: number, high: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return low + ((state >>> 8) % (high - low + 1));
  };
  for (let round = 0; round < 300; round++) {
    const rank = roll(1, 4);
    const shape = Array.from({ length: rank }, () => roll(1, 6));
    const strides = shape.map(() => roll(0, 9));
    const t = counted(400).asStrided(shape, strides, roll(0, 30)) as Tensor;
    const extents = Array.from({ length: roll(0, 3) }, () => roll(1, 4));
    const forms: { text: string; index: Index }[] = [];
    for (let axis = 0; axis < roll(0, rank); axis++) {
      const slopes = extents.map(() => roll(-2, 2));
      const max = slopes.reduce((sum, slope, v) => sum + Math.max(0, slope) * ((extents[v] as number) - 1), 0);
      const min = slopes.reduce((sum, slope, v) => sum + Math.min(0, slope) * ((extents[v] as number) - 1), 0);
      const fits = max - min < (shape[axis] as number);
      const used = fits ? slopes : slopes.map(() => 0);
      const start = fits ? 0 - min : roll(0, (shape[axis] as number) - 1);
      forms.push({
        text: [start, ...used.map((slope, v) => `${slope} * _${v}`)].join(" + "),
        index: (variables) => used.reduce((sum, slope, v) => sum + slope * (variables[v] as number), start),
      });
    }
    expectVisits(
      t,
      forms.map(({ text }) => text),
      forms.map(({ index }) => index),
      extents,
      `round ${round}`,
    );
  }
});

test("expressions have the usual precedence, and unary minus", () => {
  const t = counted(3, 24);
  const table: readonly (readonly [string, (i: number, j: number) => number])[] = [
    ["_0 + _1 * 2 * 3", (i, j) => i + j * 2 * 3],
    ["_0 % 2 * 3 + _1", (i, j) => (i % 2) * 3 + j],
    ["_0 + _1 % 2", (i, j) => i + (j % 2)],
    ["-_0 + 5 - -_1", (i, j) => -i + 5 + j],
    ["_1 * -_0 + 9", (i, j) => -j * i + 9],
  ];
  for (const [text, index] of table) {
    const expected = tuples([3, 4]).map(([i, j]) => index(i as number, j as number));
    const seen: unknown[] = [];
    tiled(t).complexLoops(["0", text], (_data, _position, coords) => seen.push(coords[1]), { extents: [3, 4] });
    expect(seen, text).toEqual(expected);
  }
});

test("an index that can leave its axis throws before the first iteration, with its range", () => {
  const t = counted(4, 4);
  let rounds = 0;
  const run = (expressions: string[], extents?: number[]) => () =>
    tiled(t).complexLoops(expressions, () => rounds++, extents === undefined ? {} : { extents });
  expect(run(["_0", "_1 * 2 + 1"], [4, 3])).toThrow(
    "complexLoops: index 1, _1 * 2 + 1, ranges over 1..5 with extents [4, 3], and the axis has size 4",
  );
  expect(run(["_0 - 1"])).toThrow(
    "complexLoops: index 0, _0 - 1, ranges over -1..2 with extents [4], and the axis has size 4",
  );
  expect(run(["_0 * _0"])).toThrow(
    "complexLoops: index 0, _0 * _0, ranges over 0..9 with extents [4], and the axis has size 4",
  );
  expect(run(["_0 * _0 % 5"], [4])).toThrow("index 0, _0 * _0 % 5, ranges over 0..4 with extents [4]");
  expect(rounds).toBe(0);
});

test("an index that stays inside never throws, however hard that is to prove", () => {
  const t = counted(4);
  const seen: number[] = [];
  // Interval arithmetic alone says 0..6 and -3..9.
  tiled(t).complexLoops(["_0 % 2 * 3 - _0 % 2 + _0 / 6"], (_data, position) => seen.push(position), { extents: [8] });
  tiled(t).complexLoops(["(_0 * _0 * 3 + 3) % 4"], (_data, position) => seen.push(position), { extents: [4] });
  expect(seen).toEqual([0, 2, 0, 2, 0, 2, 1, 3, 3, 2, 3, 2]);
});

test("more expressions than axes, unknown names and other values throw", () => {
  const t = counted(2, 2);
  const loops = tiled(t);
  expect(() => loops.complexLoops(["0", "_0", "_1"], () => {})).toThrow(
    "complexLoops: 3 index expressions, [0, _0, _1], for the 2 axes of tensor (float32 [2, 2])",
  );
  expect(() => loops.complexLoops(["_2"], () => {})).toThrow('unknown symbol "_2". Known: _0.');
  expect(() => loops.complexLoops(["_0"], () => {}, { extents: [-1] })).toThrow(
    "complexLoops: extents must be non-negative integers, one for each loop variable, got [-1]",
  );
  expect(() => loops.complexLoops("_0" as never, () => {})).toThrow(
    "complexLoops: expects a list of index expressions",
  );
  expect(() => loops.complexLoops(["_0"], null as never)).toThrow("complexLoops: expects a function");
  expect(() => tiled(null as never)).toThrow("tiled: needs a tensor");
});

test("an index that divides by 0 throws before the first iteration, with the values", () => {
  let rounds = 0;
  const loop = (text: string): void => tiled(counted(3)).complexLoops([text], () => rounds++, { extents: [3] });
  for (const text of ["_0 / (_0 - 1)", "_0 % (_0 - 1)", "max(0, min(_0 / (_0 - 1), 2))", "(4 / (_0 - 1)) % 3"])
    expect(() => loop(text)).toThrow(
      `complexLoops: index 0, ${text}, has no value where _0 = 1: a divisor in it is 0.`,
    );
  expect(rounds).toBe(0);
  loop("_0 / (_0 + 1)");
  expect(rounds).toBe(3);
});

test("an error in an expression names the index", () => {
  expect(() => tiled(counted(2, 3)).complexLoops(["_0", "_2"], () => {})).toThrow(
    'complexLoops: index 1: unknown symbol "_2". Known: _0, _1.',
  );
  expect(() => tiled(counted(2, 3)).complexLoops(["_0 +"], () => {})).toThrow(/^complexLoops: index 0: .*\n {2}_0 \+/);
});

test("options are an object with known names", () => {
  const loops = tiled(counted(2));
  expect(() => loops.complexLoops(["_0"], () => {}, { extent: [1] } as never)).toThrow(
    "complexLoops: there is no option extent; the options are extents, write. Did you mean extents?",
  );
  expect(() => loops.complexLoops(["_0"], () => {}, null as never)).toThrow(
    "complexLoops: options must be an object with extents, write, got null",
  );
  expect(() => loops.parallelLoops(0, "x + 1", { thread: 2 } as never)).toThrow(
    "parallelLoops: there is no option thread; the options are write, threads. Did you mean threads?",
  );
  expect(() => loops.parallelLoops(0, () => {}, 2 as never)).toThrow(
    "parallelLoops: options must be an object with write, threads, got 2",
  );
});

test("an empty tensor, and extents with a 0, run zero times", () => {
  const never = (): never => {
    throw new Error("called");
  };
  tiled(zeros([0, 3]) as Tensor).complexLoops(["_0", "_1"], never);
  tiled(zeros([0, 3]) as Tensor).complexLoops(["_0", "_1"], never, { extents: [1, 2] });
  tiled(zeros([3, 0]) as Tensor).complexLoops(["_0"], never);
  tiled(counted(2, 3)).complexLoops(["_0 + 9"], never, { extents: [0] });
});

test("a scalar is visited once", () => {
  let rounds = 0;
  tiled(tensor(5) as Tensor).complexLoops([], (data, position, coords) => {
    expect([data[position], coords]).toEqual([5, []]);
    rounds++;
  });
  expect(rounds).toBe(1);
});

test("data is the storage in the dtype's own array, and a complex number starts at its position", () => {
  const pairs: unknown[] = [];
  tiled(tensor([complex(1, 2), complex(3, 4)]) as Tensor).complexLoops(["_0"], (data, position) =>
    pairs.push([data[position], data[position + 1]]),
  );
  expect(pairs).toEqual([
    [1, 2],
    [3, 4],
  ]);
  const kinds = {
    bool: Uint8Array,
    int64: BigInt64Array,
    bfloat16: Uint16Array,
    float64: Float64Array,
    int8: Int8Array,
  } as const;
  for (const [dtype, kind] of Object.entries(kinds))
    tiled(zeros([2], { dtype: dtype as "bool" }) as Tensor).complexLoops(["_0"], (data) => {
      expect(data).toBeInstanceOf(kind);
      expect(data.length).toBe(2);
    });
});

test("a loop writes, and counts as one version; one that only reads does not", () => {
  const t = counted(4, 4);
  const diagonal = tiled(t);
  diagonal.complexLoops(["_0", "_0"], (data, position) => {
    data[position] = -1;
  });
  expect(t.toArray()).toEqual([
    [-1, 1, 2, 3],
    [4, -1, 6, 7],
    [8, 9, -1, 11],
    [12, 13, 14, -1],
  ]);
  expect(t.version).toBe(1);
  diagonal.complexLoops(["_0"], () => {}, { write: false });
  expect(t.version).toBe(1);
  expect(() =>
    diagonal.complexLoops(["_0"], () => {
      throw new Error("mine");
    }),
  ).toThrow("mine");
  expect(t.version).toBe(2);
});

test("a const view is read with { write: false }", () => {
  const c = zeros([2, 2], { constant: true }) as Tensor;
  expect(() => tiled(c).complexLoops(["_0"], () => {})).toThrow(
    "complexLoops: tensor (float32 [2, 2]) is a const view. Pass { write: false }, or loop over a copy: clone()",
  );
  let sum = 0;
  tiled(c).complexLoops(["_0", "_1"], (data, position) => (sum += 1 + (data[position] as number)), { write: false });
  expect(sum).toBe(4);
});

test.each([true, false])(
  "data is valid in every round, even when the function makes the heap (shared: %s) grow",
  (shared) => {
    const allocator = new CpuAllocator({ shared, initialPages: 4 });
    const t = tensorOver(Storage.allocate(12, { allocator }), "float32", 0, [3], [1]);
    const windows = new Set<unknown>();
    tiled(t).complexLoops(["_0"], (data, position) => {
      windows.add(data);
      expect(data.length).toBe(3);
      data[position] = position + 5;
      Storage.allocate(2 ** 22 * (position + 1), { allocator });
    });
    expect(t.toArray()).toEqual([5, 6, 7]);
    expect(windows.size > 1).toBe(!shared);
  },
);

test("coords are fresh in every round, whatever the function does to them", () => {
  const seen: number[][] = [];
  tiled(counted(2, 2)).complexLoops(["_0", "_1"], (_data, _position, coords) => {
    seen.push([...coords]);
    coords.fill(99);
  });
  expect(seen).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
});
