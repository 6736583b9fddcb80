/** Recorded cases of DynamicQuantizeLSTM. */
import type { NodeCase } from "../../support/onnx-node.ts";
import { inputsFrom, list, scalar } from "./numbers.ts";

const { real, integers, scales } = inputsFrom(1);
const [steps, batch, width, size] = [5, 2, 6, 4];

const node = (
  directions: number,
  dtype: "int8" | "uint8",
  isByColumn: boolean,
  more: Partial<NodeCase> = {},
): NodeCase => {
  const parameter = isByColumn ? [directions, 4 * size] : [directions];
  const zero = (): NodeCase["inputs"][number] =>
    dtype === "int8"
      ? integers("int8", 1, ...parameter)
      : integers("uint8", 1, ...parameter)
          .add(128)
          .to("uint8");
  return {
    op: "DynamicQuantizeLSTM",
    domain: "com.microsoft",
    attributes: { hidden_size: size, direction: directions === 2 ? "bidirectional" : "forward" },
    inputs: [
      real(steps, batch, width),
      dtype === "int8"
        ? integers("int16", 256, directions, width, 4 * size)
            .sub(128)
            .to("int8")
        : integers("uint8", 256, directions, width, 4 * size),
      dtype === "int8"
        ? integers("int16", 256, directions, size, 4 * size)
            .sub(128)
            .to("int8")
        : integers("uint8", 256, directions, size, 4 * size),
      real(directions, 8 * size),
      null,
      real(directions, batch, size),
      real(directions, batch, size),
      null,
      scales(...parameter),
      zero(),
      scales(...parameter),
      zero(),
    ],
    outputs: 3,
    ...more,
  };
};

export const recurrent: Readonly<Record<string, NodeCase>> = {
  "DynamicQuantizeLSTM of int8": node(1, "int8", false),
  "DynamicQuantizeLSTM of uint8, in both directions": node(2, "uint8", false),
  "DynamicQuantizeLSTM by columns": node(2, "int8", true),
};
void list;
void scalar;
