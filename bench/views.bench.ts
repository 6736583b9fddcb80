/**
 * The cost of a view: select, narrow, permute, expand of a rank-3 tensor, compared with scijs ndarray and PyTorch's
 * Python call, in one interleaved run. Target: each under 200 ns, and faster than PyTorch. One call of a contender
 * creates `count` views. PyTorch takes part if `python3` (or the program named by PYTHON) can import torch; otherwise a
 * line reports its absence.
 */
import { arange } from "../src/api.ts";
import type { Tensor } from "../src/tensor/tensor.ts";
import { type Contender, compare, describeMachine } from "./harness.ts";
import { openTorch } from "./torch.ts";

/** The part of scijs ndarray that is measured. */
interface Ndarray {
  pick(...at: (number | null)[]): Ndarray;
  lo(...at: (number | null)[]): Ndarray;
  hi(...at: (number | null)[]): Ndarray;
  transpose(...order: number[]): Ndarray;
}
type MakeNdarray = (data: Float32Array, shape: number[], stride?: number[], offset?: number) => Ndarray;

const count = 10_000;
console.log(describeMachine());

const name = "ndarray";
const makeNdarray = ((await import(name)) as { default: MakeNdarray }).default;
const torch = await openTorch("x = torch.arange(24.).view(2, 3, 4); r = torch.arange(4.).view(1, 1, 4)");
if (torch === null) console.log("PyTorch: no python3 here that imports torch, so its rows are left out.");

const data = Float32Array.from({ length: 24 }, (_unused, i) => i);
const x: Tensor = arange(24).view(2, 3, 4);
const row: Tensor = arange(4).view(1, 1, 4);
const nd = makeNdarray(data, [2, 3, 4]);

let sink: unknown;
const many = (make: (i: number) => unknown) => () => {
  for (let i = 0; i < count; i++) sink = make(i);
  return sink;
};
const withTorch = (ours: Record<string, Contender>, code: string): Record<string, Contender> =>
  torch === null ? ours : { ...ours, PyTorch: () => torch.repeat(code, count) };

/** Each view in the three libraries. ndarray has no expand; the array is constructed with a stride of 0 instead. */
const views: Readonly<
  Record<string, { ours: (i: number) => unknown; ndarray: (i: number) => unknown; torch: string }>
> = {
  select: { ours: (i) => x.select(1, i % 3), ndarray: (i) => nd.pick(null, i % 3, null), torch: "x.select(1, 1)" },
  narrow: {
    ours: (i) => x.narrow(2, i % 3, 2),
    ndarray: (i) => nd.lo(0, 0, i % 3).hi(2, 3, 2),
    torch: "x.narrow(2, 1, 2)",
  },
  permute: { ours: () => x.permute(2, 0, 1), ndarray: () => nd.transpose(2, 0, 1), torch: "x.permute(2, 0, 1)" },
  expand: {
    ours: () => row.expand(2, 3, 4),
    ndarray: () => makeNdarray(data, [2, 3, 4], [0, 0, 1], 0),
    torch: "r.expand(2, 3, 4)",
  },
};

// Runs every contender once before any is measured, so that all call sites have seen the others.
const options = { rounds: Number(process.argv[2] ?? 15), sampleMilliseconds: Number(process.argv[3] ?? 20) };
for (const [view, { ours, ndarray, torch: code }] of Object.entries(views)) {
  const contenders = { stridewise: many(ours), "scijs ndarray": many(ndarray) };
  const rows = await compare(`${count} x ${view}`, withTorch(contenders, code), options);
  for (const row of rows) console.log(`${row.name}: ${(row.nanoseconds / count).toFixed(1)} ns each`);
}
torch?.close();
