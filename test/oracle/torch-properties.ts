/**
 * Ops with several right answers: where ours is not the recorded one, it must have the property that defines it. Factorizations are
 * multiplied out, eigenvalues compared as sets, indices of equal elements followed to their elements.
 */
import { isComplex, type Value } from "../../src/storage/dtype.ts";
import { Tensor } from "../../src/tensor/tensor.ts";
import {
  elementDifference,
  exactElements,
  isRecordedTensor,
  partDifference,
  type RecordedPart,
} from "./torch-compare.ts";
import { type RecordedTensor, valueOf } from "./torch-values.ts";

type Keywords = Readonly<Record<string, unknown>>;
interface Result {
  readonly args: readonly unknown[];
  readonly keywords: Keywords;
  readonly ours: readonly unknown[];
  readonly theirs: readonly RecordedPart[];
}

// ---- Matrices of complex numbers ------------------------------------------------------------------------------------

interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly re: Float64Array;
  readonly im: Float64Array;
}

function matrixOf(rows: number, columns: number, at: (i: number, j: number) => readonly [number, number]): Matrix {
  const [re, im] = [new Float64Array(rows * columns), new Float64Array(rows * columns)];
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) [re[i * columns + j], im[i * columns + j]] = at(i, j) as [number, number];
  return { rows, columns, re, im };
}

const entry = ({ columns, re, im }: Matrix, i: number, j: number): [number, number] => [
  re[i * columns + j] as number,
  im[i * columns + j] as number,
];

function product(a: Matrix, b: Matrix): Matrix {
  return matrixOf(a.rows, b.columns, (i, j) => {
    let [re, im] = [0, 0];
    for (let k = 0; k < a.columns; k++) {
      const [[p, q], [r, s]] = [entry(a, i, k), entry(b, k, j)];
      re += p * r - q * s;
      im += p * s + q * r;
    }
    return [re, im];
  });
}

const adjoint = (a: Matrix): Matrix =>
  matrixOf(a.columns, a.rows, (i, j) => {
    const [re, im] = entry(a, j, i);
    return [re, -im];
  });
const diagonal = (values: readonly (readonly [number, number])[], rows: number, columns: number): Matrix =>
  matrixOf(rows, columns, (i, j) => (i === j && i < values.length ? (values[i] as [number, number]) : [0, 0]));
const unit = (n: number): Matrix => matrixOf(n, n, (i, j) => [i === j ? 1 : 0, 0]);

function isNear(a: Matrix, b: Matrix): boolean {
  const largest = Math.max(1, ...b.re.map(Math.abs), ...b.im.map(Math.abs));
  return a.re.every(
    (x, k) => Math.hypot(x - (b.re[k] as number), (a.im[k] as number) - (b.im[k] as number)) <= 1e-9 * largest,
  );
}

const hasOrthonormalColumns = (a: Matrix): boolean => isNear(product(adjoint(a), a), unit(a.columns));

const pair = (value: Value): [number, number] => (isComplex(value) ? [value.re, value.im] : [Number(value), 0]);

/** The matrices of a batch. */
function matricesOf(t: unknown): Matrix[] {
  const { shape } = t as Tensor;
  const elements = exactElements(t as Tensor);
  const [rows, columns] = shape.slice(-2) as [number, number];
  const count = shape.slice(0, -2).reduce((a, b) => a * b, 1);
  return Array.from({ length: count }, (_, k) =>
    matrixOf(rows, columns, (i, j) => pair(elements[(k * rows + i) * columns + j] as Value)),
  );
}

/** The vectors of a batch. */
function vectorsOf(t: unknown): [number, number][][] {
  const { shape } = t as Tensor;
  const elements = exactElements(t as Tensor);
  const size = shape[shape.length - 1] as number;
  const count = shape.slice(0, -1).reduce((a, b) => a * b, 1);
  return Array.from({ length: count }, (_, k) => elements.slice(k * size, (k + 1) * size).map(pair));
}

// ---- Properties -----------------------------------------------------------------------------------------------------

const isEqualPart = ({ ours, theirs }: Result, k: number): boolean =>
  partDifference(ours[k], theirs[k] as RecordedPart, true) === null;

/** A = U S V^H; `isV` if the last part is V, and not V^H. */
const isSvd =
  (isV: boolean, inputs = (answer: Result): Matrix[] => matricesOf(answer.args[0])) =>
  (answer: Result): boolean => {
    const [u, s, v] = answer.ours;
    const [us, ss, vs, as] = [matricesOf(u), vectorsOf(s), matricesOf(v), inputs(answer)];
    return (
      isEqualPart(answer, 1) &&
      as.every((a, k) => {
        const [left, right] = [us[k] as Matrix, isV ? (vs[k] as Matrix) : adjoint(vs[k] as Matrix)];
        const middle = diagonal(ss[k] as [number, number][], left.columns, right.columns);
        return (
          hasOrthonormalColumns(left) &&
          hasOrthonormalColumns(right) &&
          isNear(product(product(left, middle), adjoint(right)), a)
        );
      })
    );
  };

/** A v = w v for every column, A read from one triangle. */
const isEigh = (answer: Result): boolean => {
  const [w, v] = answer.ours;
  const [ws, vs] = [vectorsOf(w), matricesOf(v)];
  const isUpper = (answer.args[1] ?? answer.keywords.UPLO) === "U";
  return (
    isEqualPart(answer, 0) &&
    matricesOf(answer.args[0]).every((a, k) => {
      const vectors = vs[k] as Matrix;
      const n = a.rows;
      const whole = matrixOf(n, n, (i, j) => {
        const isStored = isUpper ? i <= j : i >= j;
        const [re, im] = isStored ? entry(a, i, j) : entry(a, j, i);
        return [re, i === j ? 0 : isStored ? im : -im];
      });
      const values = diagonal(ws[k] as [number, number][], n, n);
      return hasOrthonormalColumns(vectors) && isNear(product(whole, vectors), product(vectors, values));
    })
  );
};

/** The products a b^T that samples of approximations by few columns stand for, centered or less M. */
function lowRank({ args, keywords }: Result): Matrix[] {
  const [as, bs] = [matricesOf(args[0]), matricesOf(args[1])];
  const less = keywords.M instanceof Tensor ? matricesOf(keywords.M) : null;
  return as.map((a, k) => {
    const whole = product(
      a,
      matrixOf((bs[k] as Matrix).columns, (bs[k] as Matrix).rows, (i, j) => entry(bs[k] as Matrix, j, i)),
    );
    const { rows, columns } = whole;
    const mean = (j: number): number =>
      Array.from({ length: rows }, (_, i) => entry(whole, i, j)[0]).reduce((x, y) => x + y, 0) / rows;
    return matrixOf(rows, columns, (i, j) => {
      const [re, im] = entry(whole, i, j);
      const [lessRe, lessIm] = less === null ? [0, 0] : entry(less[less.length === 1 ? 0 : k] as Matrix, i, j);
      return [re - lessRe - (keywords.center === true ? mean(j) : 0), im - lessIm];
    });
  });
}

/** The same numbers in any order. */
function isSameSet(ours: unknown, theirs: RecordedPart): boolean {
  if (!isRecordedTensor(theirs)) return false;
  const size = theirs.shape[theirs.shape.length - 1] as number;
  const expected = theirs.data.map((value) => pair(valueOf(value)));
  return vectorsOf(ours).every((values, k) => {
    const left = expected.slice(k * size, (k + 1) * size);
    return values.every(([re, im]) => {
      const at = left.findIndex(([x, y]) => Math.hypot(x - re, y - im) <= 1e-7 * Math.max(1, Math.hypot(x, y)));
      return at >= 0 && left.splice(at, 1).length === 1;
    });
  });
}

const isEig = ({ ours: [w, v], args, theirs }: Result): boolean => {
  const [ws, vs] = [vectorsOf(w), matricesOf(v)];
  return (
    isSameSet(w, theirs[0] as RecordedPart) &&
    matricesOf(args[0]).every((a, k) => {
      const vectors = vs[k] as Matrix;
      const values = diagonal(ws[k] as [number, number][], a.rows, a.rows);
      const lengths = product(adjoint(vectors), vectors);
      const isUnit = Array.from({ length: a.rows }, (_, i) => Math.abs(entry(lengths, i, i)[0] - 1) < 1e-9).every(
        Boolean,
      );
      return isUnit && isNear(product(a, vectors), product(vectors, values));
    })
  );
};

/** A = Q R, Q with orthonormal columns, R upper triangular. */
const isQr = ({ ours: [q, r], args }: Result): boolean => {
  const [qs, rs] = [matricesOf(q), matricesOf(r)];
  return matricesOf(args[0]).every((a, k) => {
    const [left, right] = [qs[k] as Matrix, rs[k] as Matrix];
    const isUpper = right.re.every(
      (x, at) => Math.floor(at / right.columns) <= at % right.columns || Math.abs(x) < 1e-12,
    );
    return isUpper && hasOrthonormalColumns(left) && isNear(product(left, right), a);
  });
};

/** The sum of conj(x) y along the last axis; PyTorch's is 0 for complex numbers on some machines. */
const isVecdot = ({ ours, args }: Result): boolean => {
  const [xs, ys] = [vectorsOf(args[0]), vectorsOf(args[1])];
  return exactElements(ours[0] as Tensor).every((value, k) => {
    const [re, im] = pair(value);
    const sum = (xs[k] as [number, number][]).reduce(
      ([p, q], [a, b], i) => {
        const [c, d] = (ys[k] as [number, number][])[i] as [number, number];
        return [p + a * c + b * d, q + a * d - b * c] as [number, number];
      },
      [0, 0] as [number, number],
    );
    return Math.hypot(sum[0] - re, sum[1] - im) <= 1e-9 * Math.max(1, Math.hypot(...sum));
  });
};

// ---- Indices --------------------------------------------------------------------------------------------------------

/** The elements of the input that indices along an axis point at, in the order of the indices. */
function pointedAt(input: Tensor, axis: number | null, shape: readonly number[], indices: readonly Value[]): Value[] {
  const elements = exactElements(input);
  if (axis === null || input.rank === 0) return indices.map((at) => elements[Number(at)] as Value);
  const at = axis < 0 ? axis + input.rank : axis;
  const sizes = [...shape];
  if (sizes.length < input.rank) sizes.splice(at, 0, 1);
  return indices.map((index, k) => {
    let [rest, offset, step] = [k, 0, 1];
    for (let i = input.rank - 1; i >= 0; i--) {
      const size = sizes[i] as number;
      offset += step * (i === at ? Number(index) : rest % size);
      rest = Math.floor(rest / size);
      step *= input.shape[i] as number;
    }
    return elements[offset] as Value;
  });
}

/** The indices, the last part, point at elements equal to those that the recorded ones point at. */
const pointsAtEqual =
  (fallback: number | null, argument: number) =>
  ({ args, keywords, ours, theirs }: Result): boolean => {
    const input = args[0] as Tensor;
    const [mine, recorded] = [ours[ours.length - 1] as Tensor, theirs[theirs.length - 1] as RecordedTensor];
    const axis = (args[argument] ?? keywords.dim ?? fallback) as number | null;
    const found = pointedAt(input, axis, recorded.shape, exactElements(mine));
    const expected = pointedAt(input, axis, recorded.shape, recorded.data.map(valueOf));
    const areValuesEqual = ours.length === 1 || partDifference(ours[0], theirs[0] as RecordedPart, false) === null;
    return areValuesEqual && elementDifference(found, expected, input.dtype, false) === null;
  };

/** What makes an answer right, by the op. */
const properties: Readonly<Record<string, (answer: Result) => boolean>> = {
  "linalg.svd": isSvd(false),
  svd: isSvd(true),
  svd_lowrank: isSvd(true, lowRank),
  pca_lowrank: isSvd(true, lowRank),
  "linalg.vecdot": isVecdot,
  "linalg.eigh": isEigh,
  "linalg.eig": isEig,
  "linalg.eigvals": ({ ours, theirs }) => isSameSet(ours[0], theirs[0] as RecordedPart),
  "linalg.qr": isQr,
  qr: isQr,
  sort: pointsAtEqual(-1, 1),
  argsort: pointsAtEqual(-1, 1),
  topk: pointsAtEqual(-1, 2),
  kthvalue: pointsAtEqual(-1, 2),
  median: pointsAtEqual(null, 1),
  nanmedian: pointsAtEqual(null, 1),
  mode: pointsAtEqual(-1, 1),
  argmax: pointsAtEqual(null, 1),
  argmin: pointsAtEqual(null, 1),
};

/** True if the answer is another one that is right. */
export function otherAnswer(
  op: string,
  args: readonly unknown[],
  keywords: Keywords,
  ours: readonly unknown[],
  theirs: readonly RecordedPart[],
): boolean {
  const holds = properties[op];
  return holds !== undefined && args[0] instanceof Tensor && holds({ args, keywords, ours, theirs });
}
