/**
 * Indexing, selection and order: 1M elements picked or written by index tensors and masks, and the ops whose results depend on the order of
 * elements. Indices are a permutation that jumps through memory; about half of the mask is true.
 */
import { type Body, element, elements, type Row } from "./row.ts";

type Ours = Body<typeof import("stridewise"), import("stridewise").Tensor>;

const n = elements(2 ** 20);
const jump = 7919;
const indexAt = (i: number): number => (i * jump) % n;
const indices = (): Int32Array => Int32Array.from({ length: n }, (_, i) => indexAt(i));
const numpyIndex = `index = np.arange(${n}) * ${jump} % ${n}`;

/** The indices of the elements of x above 0. */
const positive: number[] = [];
for (let i = 0; i < n; i++) if (element("x", i) > 0) positive.push(i);

const line: Pick<Row, "inputs" | "unit"> = { inputs: { x: [n] }, unit: "ms" };

const atIndex: Row = {
  ...line,
  name: "at-index-1M",
  title: "1M elements at the indices of a tensor",
  result: [n],
  expected: ([i = 0], input) => input("x", [indexAt(i)]),
  does: {
    stridewise: ({ tensor }, { x }) => {
      const index = tensor(indices());
      return () => x.at(index);
    },
    numpy: { once: numpyIndex, each: "out = x[index]" },
    torch: { once: `index = torch.arange(${n}) * ${jump} % ${n}`, each: "out = x[index]" },
  },
};

const selectRow = (name: string, title: string, ours: Ours, numpy: string): Row => ({
  ...line,
  name,
  title,
  result: [positive.length],
  expected: ([k = 0], input) => input("x", [positive[k] as number]),
  does: {
    stridewise: ours,
    numpy: { once: "mask = x > 0", each: numpy },
    torch: { once: "mask = x > 0", each: "out = torch.masked_select(x, mask)" },
  },
});

const atMask = selectRow(
  "at-mask-1M",
  "the elements of 1M where a mask is true",
  (_, { x }) => {
    const mask = x.gt(0);
    return () => x.at(mask);
  },
  "out = x[mask]",
);

const maskedSelectRow = selectRow(
  "masked-select-1M",
  "the same by maskedSelect",
  ({ maskedSelect }, { x }) => {
    const mask = x.gt(0);
    return () => maskedSelect(x, mask);
  },
  "out = np.compress(mask, x)",
);

let origins: Int32Array | undefined;
const assignAt: Row = {
  ...line,
  name: "assign-at-1M",
  title: "1M elements written at the indices of a tensor",
  result: [n],
  expected([k = 0], input) {
    if (origins === undefined) {
      origins = new Int32Array(n);
      for (let i = 0; i < n; i++) origins[indexAt(i)] = i;
    }
    return input("x", [origins[k] as number]);
  },
  does: {
    stridewise: ({ tensor }, { x, out }) => {
      const index = tensor(indices());
      return () => out.assignAt([index], x);
    },
    numpy: { once: numpyIndex, each: "out[index] = x" },
    torch: { once: `index = torch.arange(${n}) * ${jump} % ${n}`, each: "out[index] = x" },
  },
};

const nonzeroRow: Row = {
  ...line,
  name: "nonzero-1M",
  title: "the indices of the true elements of 1M",
  result: [positive.length, 1],
  expected: ([k = 0]) => positive[k] as number,
  does: {
    stridewise: ({ nonzero }, { x }) => {
      const mask = x.gt(0);
      return () => nonzero(mask);
    },
    numpy: { once: "mask = x > 0", each: "out = np.nonzero(mask)[0]" },
    torch: { once: "mask = x > 0", each: "out = torch.nonzero(mask)" },
  },
};

const columns = 8;
const medians: number[] = [];
const quantileRow: Row = {
  name: "quantile-1Mx8",
  title: "the medians of 8 columns of 1M",
  unit: "ms",
  inputs: { x: [n, columns] },
  result: [columns],
  expected([j = 0], input) {
    if (medians[j] === undefined) {
      const column = Float64Array.from({ length: n }, (_, i) => input("x", [i, j])).sort();
      medians[j] = ((column[Math.floor((n - 1) / 2)] as number) + (column[Math.ceil((n - 1) / 2)] as number)) / 2;
    }
    return medians[j];
  },
  does: {
    stridewise:
      ({ quantile }, { x }) =>
      () =>
        quantile(x, 0.5, 0),
    numpy: { each: "out = np.quantile(x, 0.5, axis=0)" },
    torch: { each: "out = torch.quantile(x, 0.5, dim=0)" },
  },
};

const uniqueRow: Row = {
  ...line,
  name: "unique-1M",
  title: "the distinct elements of 1M",
  // The inputs have 4096 values, each as often as the others.
  result: [Math.min(n, 4096)],
  expected([k = 0], input) {
    if (n >= 4096) return k / 1024 - 2;
    return Float64Array.from({ length: n }, (_, i) => input("x", [i])).sort()[k] as number;
  },
  does: {
    stridewise:
      ({ unique }, { x }) =>
      () =>
        unique(x),
    numpy: { each: "out = np.unique(x)" },
    torch: { each: "out = torch.unique(x)" },
  },
};

let largest: number | undefined;
const argmaxRow: Row = {
  ...line,
  name: "argmax-1M",
  title: "the index of the largest of 1M elements",
  result: [1],
  expected(_at, input) {
    if (largest === undefined) {
      largest = 0;
      for (let i = 1; i < n; i++) if (input("x", [i]) > input("x", [largest])) largest = i;
    }
    return largest;
  },
  does: {
    stridewise:
      ({ argmax }, { x }) =>
      () =>
        argmax(x, 0, { keepdims: true }),
    numpy: { each: "out = np.argmax(x, keepdims=True)" },
    torch: { each: "out = x.argmax(0, keepdim=True)" },
  },
};

export const indexing: readonly Row[] = [
  atIndex,
  atMask,
  maskedSelectRow,
  assignAt,
  nonzeroRow,
  quantileRow,
  uniqueRow,
  argmaxRow,
];
