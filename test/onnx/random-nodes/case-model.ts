/** The model of a case. */
import type { Tensor } from "../../../src/index.ts";
import { DataType } from "../../../src/onnx/proto/types.ts";
import { writeModel } from "../../../src/onnx/proto/write.ts";
import { elementOfDType } from "../../../src/onnx/value-type.ts";
import { TextTensor } from "../../../src/onnx/values.ts";
import { constant, model, node, port } from "../../support/onnx-graphs.ts";
import type { OperatorCase } from "./draw.ts";

/** The domain and the type: "com.microsoft.Gelu" or "Gelu". */
function nameOf(operator: string): { domain: string; type: string } {
  const dot = operator.lastIndexOf(".");
  return { domain: operator.slice(0, Math.max(0, dot)), type: operator.slice(dot + 1) };
}

const elementOf = (value: Tensor | TextTensor): number =>
  value instanceof TextTensor ? DataType.STRING : elementOfDType(value.dtype);

/** The bytes of a model with one node; the inputs of `weights` are initializers. */
export function bytesOf(
  operator: string,
  { version, attributes, inputs, outputs = 1 }: OperatorCase,
  weights: ReadonlySet<number>,
): Uint8Array {
  const { domain, type } = nameOf(operator);
  // ONNX Runtime ends in a crash for some operators if the name of the last input is empty.
  const count = inputs.findLastIndex((value) => value !== null) + 1;
  const names = inputs.slice(0, count).map((value, k) => (value === null ? "" : `x${k}`));
  const present = inputs.flatMap((value, k) => (value === null ? [] : [{ value, k }]));
  return writeModel(
    model(
      {
        name: operator,
        node: [
          node(
            type,
            names,
            Array.from({ length: outputs }, (_, k) => `y${k}`),
            attributes,
            domain,
          ),
        ],
        input: present.flatMap(({ value, k }) => (weights.has(k) ? [] : [port(`x${k}`, elementOf(value))])),
        initializer: present.flatMap(({ value, k }) => (weights.has(k) ? [constant(`x${k}`, value)] : [])),
        output: Array.from({ length: outputs }, (_, k) => ({ name: `y${k}` })),
      },
      {
        irVersion: 9,
        opsetImport: [
          { domain: "", version },
          { domain: "com.microsoft", version: 1 },
          { domain: "ai.onnx.ml", version: 3 },
        ],
      },
    ),
  );
}
