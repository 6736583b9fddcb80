/**
 * Support vector machines: SVMClassifier and SVMRegressor. Kernels of all rows and support vectors are one matrix; classes are compared in pairs, as
 * LIBSVM does, and pairwise probabilities are coupled by its iteration.
 */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { numbersOf } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { classLabels, labelsOfScores, pickLabels, transformed } from "./scores.ts";

type Tensor = sw.Tensor;

/** The rows of X, as float32. */
function rowsOf(call: Call): Tensor {
  const x = call.tensor(0).to("float32");
  if (x.ndim === 1) return x.reshape([1, -1]);
  if (x.ndim !== 2) throw call.error(`the input must have the shape [N, C] or [C], got [${x.shape}]`);
  return x;
}

/** The kernel of each row of x with each vector: [rows, vectors]. */
function kernelMatrix(call: Call, x: Tensor, vectors: Tensor): Tensor {
  const [gamma, offset, degree] = call.floats("kernel_params", [0, 0, 0]);
  const products = (): Tensor => sw.matmul(x, vectors.transpose()) as Tensor;
  const kind = call.string("kernel_type", "LINEAR");
  switch (kind) {
    case "LINEAR":
      return products();
    case "POLY":
      return sw.pow(sw.add(sw.mul(products(), gamma), offset), degree) as Tensor;
    case "SIGMOID":
      return sw.tanh(sw.add(sw.mul(products(), gamma), offset));
    case "RBF": {
      const differences = sw.sub(x.unsqueeze(1), vectors.unsqueeze(0));
      return sw.exp(sw.mul(sw.sum(sw.mul(differences, differences), -1) as Tensor, -gamma));
    }
    default:
      throw call.error(`kernel_type must be LINEAR, POLY, RBF or SIGMOID, got "${kind}"`);
  }
}

/** The numbers of an attribute as a matrix with this number of columns. */
function matrixOf(call: Call, name: string, columns: number): Tensor {
  const values = call.floats<number[]>(name);
  if (columns <= 0 || values.length % columns !== 0)
    throw call.error(`${name} has ${values.length} numbers, which are not rows of ${columns}`);
  return sw.tensor(Float32Array.from(values)).reshape([-1, columns]);
}

function svmRegressor(call: Call): Tensor {
  const x = rowsOf(call);
  const count = call.int("n_supports", 0);
  const [rho = 0] = call.floats("rho", [0]);
  const vectors = count > 0 ? matrixOf(call, "support_vectors", x.shape[1]) : null;
  const coefficients = sw.tensor(Float32Array.from(call.floats<number[]>("coefficients")));
  const size = vectors === null ? x.shape[1] : vectors.shape[0];
  if ((vectors !== null && count !== size) || coefficients.size !== size)
    throw call.error(
      `there are ${coefficients.size} coefficients and ${size} columns of kernels, but n_supports is ${count}`,
    );
  const kernels = vectors === null ? x : kernelMatrix(call, x, vectors);
  const scores = sw.add(sw.matmul(kernels, coefficients.reshape([-1, 1])) as Tensor, rho);
  const isOneClass = call.int("one_class", 0) !== 0;
  const result = isOneClass ? sw.where(sw.gt(scores, 0), 1, -1).to("float32") : scores;
  return transformed(call, call.string("post_transform", "NONE"), result);
}

/** The numbers that the classifier has for each pair of classes. */
interface Pairs {
  readonly rho: readonly number[];
  readonly probA: readonly number[];
  readonly probB: readonly number[];
}

function svmClassifier(call: Call): readonly OnnxValue[] {
  const labels = classLabels(call, "classlabels_ints");
  const counts = call.ints("vectors_per_class", [] as number[]);
  const rho = call.floats("rho", [0]);
  const x = rowsOf(call);
  const transform = call.string("post_transform", "NONE");
  if (counts.length === 0) {
    const weights = matrixOf(call, "coefficients", x.shape[1]);
    const scores = sw.add(kernelMatrix(call, x, weights), rho[0] ?? 0);
    const both =
      scores.shape[1] === 1 && labels.length === 2 ? (sw.concat([sw.neg(scores), scores], 1) as Tensor) : scores;
    return [labelsOfScores(call, labels, both), transformed(call, transform, both)];
  }
  const classes = counts.length;
  const pairs: Pairs = {
    rho,
    probA: call.floats("prob_a", [] as number[]),
    probB: call.floats("prob_b", [] as number[]),
  };
  checkPairs(call, pairs, classes, labels.length);
  const vectors = matrixOf(call, "support_vectors", x.shape[1]);
  const total = counts.reduce((a, b) => a + b, 0);
  const coefficients = call.floats<number[]>("coefficients");
  if (counts.some((each) => each < 0) || vectors.shape[0] !== total || coefficients.length !== total * (classes - 1))
    throw call.error(
      `vectors_per_class [${counts}] do not fit ${vectors.shape[0]} support vectors with ${coefficients.length} coefficients`,
    );
  const kernels = numbersOf(kernelMatrix(call, x, vectors));
  const results = Array.from({ length: x.shape[0] }, (_, row) =>
    classify(kernels.slice(row * total, (row + 1) * total), counts, coefficients, pairs),
  );
  const width = results[0]?.scores.length ?? (pairs.probA.length > 0 ? classes : rho.length);
  const scores = sw.tensor(Float32Array.from(results.flatMap((each) => each.scores))).reshape([results.length, width]);
  const both = width === 1 && labels.length === 2 ? (sw.concat([sw.neg(scores), scores], 1) as Tensor) : scores;
  return [
    pickLabels(
      labels,
      results.map((each) => each.best),
    ),
    transformed(call, transform, both),
  ];
}

function checkPairs(call: Call, { rho, probA, probB }: Pairs, classes: number, labels: number): void {
  const pairs = (classes * (classes - 1)) / 2;
  if (classes !== labels || classes < 2)
    throw call.error(`there are ${classes} classes with support vectors, but ${labels} labels`);
  if (rho.length !== pairs || probA.length !== probB.length || (probA.length > 0 && probA.length !== pairs))
    throw call.error(`rho, prob_a and prob_b must have one number for each of ${pairs} pairs of classes`);
}

/** Compares all pairs of classes by the kernels of one row. */
function classify(
  kernels: readonly number[],
  counts: readonly number[],
  coefficients: readonly number[],
  { rho, probA, probB }: Pairs,
): { readonly best: number; readonly scores: readonly number[] } {
  const classes = counts.length;
  const starts = counts.map((_, k) => counts.slice(0, k).reduce((a, b) => a + b, 0));
  const votes = new Array<number>(classes).fill(0);
  const scores: number[] = [];
  const partial = (of: number, row: number): number => {
    let sum = 0;
    for (let k = starts[of]; k < starts[of] + counts[of]; k++)
      sum += coefficients[row * kernels.length + k] * kernels[k];
    return sum;
  };
  for (let i = 0; i < classes; i++)
    for (let j = i + 1; j < classes; j++) {
      const score = partial(i, j - 1) + partial(j, i) + rho[scores.length];
      scores.push(score);
      votes[score > 0 ? i : j]++;
    }
  // Of two classes, a positive score means the second one.
  const winner = classes === 2 ? (scores[0] > 0 ? 1 : 0) : votes.indexOf(Math.max(...votes));
  if (probA.length === 0) return { best: winner, scores };
  const probabilities = coupled(classes, (i, j) => {
    const pair = i * classes - (i * (i + 1)) / 2 + (j - i - 1);
    return Math.min(Math.max(1 / (1 + Math.exp(scores[pair] * probA[pair] + probB[pair])), 1e-7), 1 - 1e-7);
  });
  return { best: probabilities.indexOf(Math.max(...probabilities)), scores: probabilities };
}

/** The probabilities of classes that agree best with those of pairs: pair(i, j) is that of i against j, for i < j. */
function coupled(classes: number, pair: (i: number, j: number) => number): number[] {
  const against = (i: number, j: number): number => (i < j ? pair(i, j) : 1 - pair(j, i));
  const q = Array.from({ length: classes }, (_, t) =>
    Array.from({ length: classes }, (_, j) => {
      if (j !== t) return -against(j, t) * against(t, j);
      let sum = 0;
      for (let k = 0; k < classes; k++) if (k !== t) sum += against(k, t) ** 2;
      return sum;
    }),
  );
  const p = new Array<number>(classes).fill(1 / classes);
  for (let round = 0; round < Math.max(100, classes); round++) {
    const products = q.map((row) => row.reduce((sum, each, j) => sum + each * p[j], 0));
    let whole = products.reduce((sum, each, t) => sum + each * p[t], 0);
    if (products.every((each) => Math.abs(each - whole) < 0.005 / classes)) break;
    for (let t = 0; t < classes; t++) {
      const step = (whole - products[t]) / q[t][t];
      p[t] += step;
      whole = (whole + step * (step * q[t][t] + 2 * products[t])) / (1 + step) ** 2;
      for (let j = 0; j < classes; j++) {
        products[j] = (products[j] + step * q[t][j]) / (1 + step);
        p[j] /= 1 + step;
      }
    }
  }
  return p;
}

export const supportVectors: OperatorTable = { SVMClassifier: svmClassifier, SVMRegressor: svmRegressor };
