/** The command that runs a model: its options and help. The code is loaded when it is called. */
import type { Invocation, Outcome } from "../command.ts";
import { type ModelCommand, type ModelIo, onlyStarts, operandOf } from "../model-command.ts";

const operand = { name: "MODEL.onnx", about: "an ONNX model" };

async function start(invocation: Invocation, io: ModelIo): Promise<Outcome> {
  const path = operandOf("run", operand, invocation);
  const { runModel } = await import("../onnx/run-model.ts");
  return runModel(path, invocation, io);
}

export const runCommand: ModelCommand = {
  name: "run",
  usage: operand.name,
  operands: [operand],
  summary: "run an ONNX model over files, and write its outputs",
  details: [
    "Each output is written as FOLDER/NAME.npy; characters of NAME other than letters, digits, _ and . become _.",
    "If two names become the same, the later file gets a number: NAME.2.npy. The items of a sequence are NAME.0.npy,",
    "NAME.1.npy and so on; a map is NAME.json; texts are NumPy arrays of strings; bfloat16 becomes float32.",
    "Without --output, the outputs are printed.",
    "Integers of other widths are converted if all of them fit, float64 to float32 with a message.",
    "The exit code is 0 only if all outputs were written.",
  ],
  options: {
    input: {
      value: "NAME=VALUE",
      about: "a file .npy; a number, true, or a list such as [1, 2]; a text; or FILE.npz, FILE.safetensors by names",
      repeats: true,
    },
    output: { value: "FOLDER", about: "the folder of the outputs; it is created; also -o" },
    outputs: { value: "NAMES", about: "the outputs to write: 'a, b' (default: all)" },
    profile: { about: "print the time of each node and operator, and draw them: FOLDER/profile.svg, or --svg FILE" },
    repeat: { value: "N", about: "measure N more runs of the compiled model" },
    threads: { value: "N", about: "the number of threads (default: one for each CPU)" },
    "no-compile": { about: "run all nodes one by one" },
    quiet: { about: "print no progress to stderr" },
  },
  examples: [
    { line: "run model.onnx --input image=photo.npy --output out", about: "a model with one input" },
    { line: "run vad.onnx --input audio=wav.npy --input sr=16000 --profile", about: "numbers as they are; a profile" },
  ],
  run: onlyStarts,
  start,
};
