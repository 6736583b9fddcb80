/** Recorded cases of DynamicQuantizeLSTM. */
import type { Tensor } from "../../../src/index.ts";
import type { NodeCase } from "../../support/onnx-node.ts";
import { inputsFrom } from "./numbers.ts";

const { real, integers, bytes, signed, scales } = inputsFrom(1);
const [steps, batch, width, size] = [5, 2, 6, 4];

function node(
  directions: number,
  isSigned: boolean,
  isByColumn: boolean,
  lengths: Tensor | null = null,
  isPeephole = false,
): NodeCase {
  const parameter = isByColumn ? [directions, 4 * size] : [directions];
  const codes = isSigned ? signed : bytes;
  // Zero points of signed weights must be 0, and those of columns the same.
  const zero = (): Tensor =>
    integers(isSigned ? "int8" : "uint8", isSigned ? 0 : 128, isSigned ? 0 : 128, ...parameter);
  return {
    op: "DynamicQuantizeLSTM",
    domain: "com.microsoft",
    attributes: { hidden_size: size, direction: directions === 2 ? "bidirectional" : "forward" },
    inputs: [
      real(steps, batch, width),
      codes(directions, width, 4 * size),
      codes(directions, size, 4 * size),
      real(directions, 8 * size),
      lengths,
      real(directions, batch, size),
      real(directions, batch, size),
      isPeephole ? real(directions, 3 * size) : null,
      scales(...parameter),
      zero(),
      scales(...parameter),
      zero(),
    ],
    outputs: 3,
  };
}

const many = inputsFrom(2);

export const recurrent: Readonly<Record<string, NodeCase>> = {
  "DynamicQuantizeLSTM of int8": node(1, true, false),
  "DynamicQuantizeLSTM of uint8, in both directions": node(2, false, false),
  "DynamicQuantizeLSTM by columns": node(2, true, true),
  "DynamicQuantizeLSTM with peepholes": node(1, false, true, null, true),
  "DynamicQuantizeLSTM over many steps, as a loop": {
    op: "DynamicQuantizeLSTM",
    domain: "com.microsoft",
    attributes: { hidden_size: 4, direction: "reverse" },
    inputs: [
      many.real(12, 1, 3),
      many.signed(1, 3, 16),
      many.signed(1, 4, 16),
      null,
      null,
      null,
      null,
      null,
      many.scales(1),
      many.integers("int8", 0, 0, 1),
      many.scales(1),
      many.integers("int8", 0, 0, 1),
    ],
    outputs: 3,
  },
};
