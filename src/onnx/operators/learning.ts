/** The operators of classical machine learning (domain ai.onnx.ml). Maps between labels are in encode.ts, trees in trees.ts, support vectors in svm.ts. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { isIntegerType } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { encoders } from "./encode.ts";
import { classLabels, labelsOfScores, transformed } from "./scores.ts";
import { supportVectors } from "./svm.ts";
import { trees } from "./trees.ts";

type Tensor = sw.Tensor;

/** Input k as float32 rows: [C] counts as one row. */
export function rowsOf(call: Call, k: number): Tensor {
  const x = call.tensor(k);
  if (x.ndim < 1 || x.ndim > 2) throw call.error(`input ${k} must have the shape [N, C] or [C], got [${x.shape}]`);
  const rows = x.ndim === 1 ? x.reshape([1, -1]) : x;
  return rows.dtype === "float64" ? rows : rows.to("float32");
}

/** The coefficients of an attribute as a matrix of this number of rows. */
function matrixOf(call: Call, name: string, rows: number, columns: number): Tensor {
  const values = call.floats<number[]>(name);
  if (values.length !== rows * columns)
    throw call.error(`${name} has ${values.length} numbers, but needs ${rows} x ${columns}`);
  return sw.tensor(Float32Array.from(values)).reshape([rows, columns]);
}

/** X by the transposed coefficients, plus the intercepts: [N, rows] in float32. */
function linear(call: Call, rows: number): Tensor {
  const x = rowsOf(call, 0).to("float32");
  const intercepts = call.floats("intercepts", [] as number[]);
  if (intercepts.length !== 0 && intercepts.length !== rows)
    throw call.error(`there are ${intercepts.length} intercepts, but ${rows} rows of coefficients`);
  const product = sw.matmul(x, matrixOf(call, "coefficients", rows, x.shape[1]).transpose());
  return intercepts.length === 0 ? product : sw.add(product, sw.tensor(Float32Array.from(intercepts)));
}

function linearClassifier(call: Call): readonly [labels: ReturnType<typeof labelsOfScores>, scores: Tensor] {
  const labels = classLabels(call, "classlabels_ints");
  const columns = rowsOf(call, 0).shape[1];
  const rows = columns === 0 ? 0 : call.floats<number[]>("coefficients").length / columns;
  if (!Number.isInteger(rows) || rows < 1)
    throw call.error(`the coefficients do not fit inputs of ${columns} features`);
  const scores = linear(call, rows);
  const isBinary = rows === 1 && labels.length === 2;
  if (!isBinary && rows !== labels.length)
    throw call.error(`there are ${labels.length} labels, but ${rows} rows of coefficients`);
  const all = isBinary ? (sw.concat([sw.neg(scores), scores], 1) as Tensor) : scores;
  return [labelsOfScores(call, labels, all), transformed(call, call.string("post_transform", "NONE"), all)];
}

/** An attribute with one number for all features, or one for each, as a tensor of the dtype of x. */
function perFeature(call: Call, name: string, values: readonly (number | bigint)[], x: Tensor): Tensor {
  const features = x.shape[x.ndim - 1] ?? 1;
  if (values.length !== 1 && values.length !== features)
    throw call.error(`${name} has ${values.length} numbers, but needs 1 or ${features}`);
  return sw.tensor(values.map(Number), { dtype: x.dtype as sw.DType });
}

function scaler(call: Call): Tensor {
  const x = call.tensor(0).to("float32");
  const offset = perFeature(call, "offset", call.floats("offset", [0]), x);
  return sw.mul(sw.sub(x, offset), perFeature(call, "scale", call.floats("scale", [1]), x));
}

function normalizer(call: Call): Tensor {
  const x = call.tensor(0).to("float32");
  if (x.ndim < 1) throw call.error("the input must have the shape [N, C] or [C]");
  const norm = call.string("norm", "MAX");
  const options = { keepdim: true };
  const magnitude = (): Tensor => {
    if (norm === "MAX") return sw.amax(sw.abs(x), -1, options) as Tensor;
    if (norm === "L1") return sw.sum(sw.abs(x), -1, options) as Tensor;
    if (norm === "L2") return sw.sqrt(sw.sum(sw.mul(x, x), -1, options) as Tensor);
    throw call.error(`norm must be MAX, L1 or L2, got "${norm}"`);
  };
  if (x.size === 0) return x;
  const divisor = magnitude();
  return sw.div(x, sw.where(sw.eq(divisor, 0), 1, divisor));
}

function imputer(call: Call): Tensor {
  const x = call.tensor(0);
  if (isIntegerType(x.dtype)) {
    const values = perFeature(call, "imputed_value_int64s", call.ints<number[]>("imputed_value_int64s"), x);
    return sw.where(sw.eq(x, call.int("replaced_value_int64", 0)), values, x);
  }
  const values = perFeature(call, "imputed_value_floats", call.floats<number[]>("imputed_value_floats"), x);
  const replaced = call.float("replaced_value_float", 0);
  return sw.where(Number.isNaN(replaced) ? sw.isnan(x) : sw.eq(x, replaced), values, x);
}

function featureVectorizer(call: Call): Tensor {
  const sizes = call.ints("inputdimensions", [] as number[]);
  const parts = call.tensors().map((_, k) => {
    const x = rowsOf(call, k).to("float32");
    const size = sizes[k] ?? x.shape[1];
    if (size < 0 || size > x.shape[1])
      throw call.error(`inputdimensions[${k}] is ${size}, but input ${k} has ${x.shape[1]} features`);
    return x.narrow(1, 0, size);
  });
  return sw.concat(parts, 1) as Tensor;
}

function arrayFeatureExtractor(call: Call): Tensor {
  const x = call.tensor(0);
  if (x.ndim < 1) throw call.error("the input must have an axis");
  const picked = sw.indexSelect(x, -1, call.tensor(1).reshape([-1])) as Tensor;
  return x.ndim === 1 ? picked.reshape([1, -1]) : picked;
}

export const learning: OperatorTable = {
  ...encoders,
  ...trees,
  ...supportVectors,
  ArrayFeatureExtractor: arrayFeatureExtractor,
  Binarizer(call) {
    const x = call.tensor(0);
    return sw.gt(x, call.float("threshold", 0)).to(x.dtype as sw.DType);
  },
  FeatureVectorizer: featureVectorizer,
  Imputer: imputer,
  LinearClassifier: linearClassifier,
  LinearRegressor(call) {
    const scores = linear(call, call.int("targets", 1));
    return transformed(call, call.string("post_transform", "NONE"), scores);
  },
  Normalizer: normalizer,
  Scaler: scaler,
};
