/**
 * Calls of formulas as nodes. A formula is compiled for the dtypes of its operands, as for a kernel, so conversions are those of the library; its
 * scalar values become nodes. Functions that ONNX has as one operator are written as that.
 */
import type { Node as GraphNode } from "../../graph/ir.ts";
import { Value } from "../../graph/ir.ts";
import { constantScalar, namedScalar } from "../../kernel/ir/scalar.ts";
import { compileFormula, type OperandKind } from "../../ops/formula/compile.ts";
import type { Formula } from "../../ops/formula/node.ts";
import type { DType, Value as Number } from "../../storage/dtype.ts";
import { getDefaultComplexDType } from "../../storage/promotion.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { GraphWriter, Operand } from "./graph-writer.ts";
import type { RuleCall } from "./rule-call.ts";
import { ScalarWriter } from "./scalar-nodes.ts";

/** Ops that are one operator, or a product with one, for floats without further arguments. */
const single: Readonly<Record<string, (writer: GraphWriter, x: Operand) => Operand>> = {
  relu: (w, x) => w.op("Relu", [x]),
  sigmoid: (w, x) => w.op("Sigmoid", [x]),
  silu: (w, x) => w.op("Mul", [x, w.op("Sigmoid", [x])]),
  gelu: (w, x) => w.op("Gelu", [x]),
  softplus: (w, x) => w.op("Softplus", [x]),
  isnan: (w, x) => w.op("IsNaN", [x], {}, "bool"),
};

/** The kind of an operand of a formula, by which dtypes are promoted. */
function kindOf(arg: unknown): OperandKind {
  if (arg instanceof Tensor) return { dtype: arg.dtype as DType, bucket: arg.rank === 0 ? "zeroDim" : "tensor" };
  if (typeof arg === "number") return { dtype: null, bucket: "number" };
  if (typeof arg === "bigint") return { dtype: "int64", bucket: "number" };
  if (typeof arg === "boolean") return { dtype: "bool", bucket: "number" };
  return { dtype: getDefaultComplexDType(), bucket: "number" };
}

export function exportFormula(call: RuleCall): readonly Operand[] {
  const { node, writer } = call;
  const plain = single[node.op.name];
  const [x] = node.args;
  const isPlain =
    x instanceof Value && /^b?float/.test(x.type.dtype) && node.args.slice(1).every((arg) => arg === undefined);
  if (plain !== undefined && isPlain) return [plain(writer, call.operand(x))];
  const { args, valueOf } = call.scratchArguments();
  const { formula, operands } = (node.op.formula as NonNullable<GraphNode["op"]["formula"]>)(args);
  const { spec, inputs, scalars } = compileFormula(
    formula as Formula,
    operands.map(kindOf),
    node.results.map(({ type }) => type.dtype),
  );
  const values = inputs.map((k) => valueOf(operands[k] as Tensor));
  const names = new Map(values.map((value, k) => [`${k}`, call.operand(value)]));
  const results = spec.body(
    values.map(({ type }, k) => namedScalar(type.dtype, `${k}`)),
    scalars.map(({ operand, dtype }) => constantScalar(dtype, operands[operand] as Number)),
    () => namedScalar("bool", ""),
  );
  const scalar = new ScalarWriter(writer, names);
  const shapes = values.map(({ type }) => type.shape);
  return results.map((value, k) => call.expanded(scalar.write(value), shapes, node.results[k].type.shape));
}
