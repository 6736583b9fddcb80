/** The command that shows the content of a file: its options and help. The code is loaded when it is called. */
import type { Invocation, Outcome } from "../command.ts";
import { type ModelCommand, type ModelIo, onlyStarts, operandOf } from "../model-command.ts";

const operand = { name: "FILE", about: "an .onnx, .safetensors, .npy or .npz file" };

async function start(invocation: Invocation, io: ModelIo): Promise<Outcome> {
  const path = operandOf("inspect", operand, invocation);
  const { inspectFile } = await import("../inspect/inspect-file.ts");
  return inspectFile(path, invocation, io.signal());
}

export const inspectCommand: ModelCommand = {
  name: "inspect",
  usage: operand.name,
  operands: [operand],
  summary: "show what is in a file: tensors, sizes, operators, metadata",
  details: [
    "Only headers are read, so large files take no longer than small ones.",
    "Names are shown as a tree: their parts between dots or slashes are its branches.",
    "Operators of models that this version does not support are marked.",
  ],
  options: { depth: { value: "N", about: "open N levels of the tree (default: all)" } },
  examples: [
    { line: "inspect model.onnx", about: "inputs, outputs, operators and weights of a model" },
    { line: "inspect weights.safetensors --json", about: "as data" },
  ],
  run: onlyStarts,
  start,
};
