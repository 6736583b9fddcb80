/**
 * Linear algebra: the inverse of a dominant diagonal plus x, and eigenvalues and singular values, with their vectors, of matrices that are
 * built from reflections, so that the values are known. NumPy computes all of them in float64, as Stridewise does.
 */
import { type Arrays, type Body, type Row, side } from "./row.ts";

type Library = typeof import("stridewise");
type Tensor = import("stridewise").Tensor;

// ---- Inverse ---------------------------------------------------------------------------------------------------

const n = side(500);
const shift = 40;
let inverse: Float64Array | undefined;

/** The inverse of x + shift * I by Gauss and Jordan's elimination. */
function invert(input: (name: "x", at: readonly number[]) => number): Float64Array {
  const a = Float64Array.from({ length: n * n }, (_, k) => input("x", [Math.floor(k / n), k % n]));
  for (let i = 0; i < n; i++) a[i * n + i]! += shift;
  for (let k = 0; k < n; k++) {
    const pivot = 1 / a[k * n + k]!;
    a[k * n + k] = 1;
    for (let j = 0; j < n; j++) a[k * n + j]! *= pivot;
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const f = a[i * n + k]!;
      a[i * n + k] = 0;
      for (let j = 0; j < n; j++) a[i * n + j]! -= f * a[k * n + j]!;
    }
  }
  return a;
}

const inverseRow: Row = {
  name: "inv-500",
  title: "the inverse of a 500 x 500 matrix",
  unit: "ms",
  inputs: { x: [n, n] },
  result: [n, n],
  tolerance: 1e-5,
  expected([i = 0, j = 0], input) {
    inverse ??= invert(input);
    return inverse[i * n + j] as number;
  },
  does: {
    stridewise: ({ add, eye, linalg, mul }, { x }) => {
      const a = add(x, mul(eye(n), shift));
      return () => linalg.inv(a);
    },
    numpy: {
      once: `a = x + ${shift} * np.eye(${n}, dtype=np.float32)`,
      each: "out = np.linalg.inv(a)",
    },
    torch: {
      once: `a = x + ${shift} * torch.eye(${n})`,
      each: "out = torch.linalg.inv(a)",
    },
  },
};

// ---- Eigenvalues and singular values ---------------------------------------------------------------------------

const m = side(200);

/** The reflection I - 2 v v^T / (v^T v). */
function reflection({ eye, matmul, mul, sub, sum }: Library, v: Tensor): Tensor {
  const column = v.view(m, 1) as Tensor;
  const square = sum(mul(v, v)).item() as number;
  return sub(eye(m), mul(matmul(column, v.view(1, m) as Tensor), 2 / square)) as Tensor;
}

const reflections = (library: Library, { x, y }: Arrays<Tensor>): readonly [Tensor, Tensor] => [
  reflection(library, x),
  reflection(library, y),
];

const inPython = (np: string): string =>
  [
    `p = ${np}.eye(${m}) - 2 * ${np}.outer(x, x) / (x * x).sum()`,
    `q = ${np}.eye(${m}) - 2 * ${np}.outer(y, y) / (y * y).sum()`,
    `d = ${np}.arange(1.0, ${m + 1})`,
  ].join("\n");

const valuesRow = (
  name: string,
  title: string,
  valueAt: (i: number) => number,
  stridewise: Body<Library, Tensor>,
  numpy: Row["does"]["numpy"],
  torch: Row["does"]["torch"],
): Row => ({
  name,
  title,
  unit: "ms",
  inputs: { x: [m], y: [m] },
  result: [m],
  tolerance: 1e-5,
  expected: ([i = 0]) => valueAt(i),
  does: { stridewise, ...(numpy && { numpy }), ...(torch && { torch }) },
});

const eighRow = valuesRow(
  "eigh-200",
  "eigenvalues and eigenvectors of a symmetric 200 x 200 matrix",
  (i) => i + 1,
  (library, arrays) => {
    const { arange, linalg, matmul, mul } = library;
    const [p, q] = reflections(library, arrays);
    const half = matmul(p, q);
    const a = matmul(mul(half, arange(1, m + 1, { dtype: "float32" })), half.t().contiguous());
    return () => {
      const { eigenvalues, eigenvectors } = linalg.eigh(a);
      eigenvectors.dispose();
      return eigenvalues;
    };
  },
  {
    once: `${inPython("np")}\na = ((p @ q * d) @ (p @ q).T).astype(np.float32)`,
    each: "out, _v = np.linalg.eigh(a)",
  },
  {
    once: `${inPython("torch")}\na = (p @ q * d) @ (p @ q).T`,
    each: "out, _v = torch.linalg.eigh(a)",
  },
);

const svdRow = valuesRow(
  "svd-200",
  "the singular value decomposition of a 200 x 200 matrix",
  (i) => m - i,
  (library, arrays) => {
    const { arange, linalg, matmul, mul } = library;
    const [p, q] = reflections(library, arrays);
    const a = matmul(mul(p, arange(1, m + 1, { dtype: "float32" })), q);
    return () => {
      const { U, S, Vh } = linalg.svd(a);
      U.dispose();
      Vh.dispose();
      return S;
    };
  },
  {
    once: `${inPython("np")}\na = (p * d @ q).astype(np.float32)`,
    each: "_u, out, _v = np.linalg.svd(a)",
  },
  {
    once: `${inPython("torch")}\na = p * d @ q`,
    each: "_u, out, _v = torch.linalg.svd(a)",
  },
);

export const linalg: readonly Row[] = [inverseRow, eighRow, svdRow];
