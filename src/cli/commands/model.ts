/** Commands about functions in files of the user and about models: a standalone module, and the graph. */
import { optionValue, UsageError } from "../arguments.ts";
import type { Invocation, Outcome } from "../command.ts";
import type { CompiledFunction } from "../load-function.ts";
import { type ModelCommand, type ModelIo, onlyStarts, operandOf } from "../model-command.ts";
import { createFolder, writeTo } from "../output.ts";

const operand = {
  name: "FILE#FUNCTION",
  about: "a .js, .mjs or .ts file, and the name of a function that it exports; or an ONNX model, MODEL.onnx",
};

const input = {
  input: {
    value: "TYPE",
    about:
      "the dtype and sizes of a tensor argument: 'f32[n, 16]'; of a model: 'x=[n, 16]', x=4x16, or a value: sr=16000",
    repeats: true,
  },
} as const;

async function load(
  invocation: Invocation,
  name: string,
  io: ModelIo,
  isBounded: boolean,
): Promise<{ readonly name: string; readonly compiled: CompiledFunction; readonly about?: readonly string[] }> {
  const spec = operandOf(name, operand, invocation);
  if (/\.onnx$/i.test(spec)) {
    const { compileModel } = await import("../onnx/compile-model.ts");
    return compileModel(spec, name, invocation, io, isBounded);
  }
  const { loadFunction } = await import("../load-function.ts");
  return loadFunction(spec, invocation.options.get("input") ?? [], invocation.facts, io.importModule);
}

async function startBuild(invocation: Invocation, io: ModelIo): Promise<Outcome> {
  const out = optionValue(invocation.options, "output");
  if (out === undefined) throw new UsageError("build: --output FOLDER is missing.");
  const { name, compiled, about = [] } = await load(invocation, "build", io, true);
  const { toModule } = await import("../../module/index.ts");
  const { files } = toModule(compiled, { name: optionValue(invocation.options, "name") ?? name });
  const sizes = Object.entries(files).map(([file, content]) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    return { path: `${out}/${file}`, bytes };
  });
  createFolder(out, io);
  for (const { path, bytes } of sizes) writeTo(path, bytes, io);
  return {
    lines: [...sizes.map(({ path, bytes }) => `${path}: ${bytes.length.toLocaleString("en-US")} bytes`), ...about],
    data: { files: Object.fromEntries(sizes.map(({ path, bytes }) => [path, bytes.length])) },
  };
}

export const buildCommand: ModelCommand = {
  name: "build",
  usage: operand.name,
  operands: [operand],
  summary: "write a function or a model as a standalone module",
  details: [
    "The function is compiled by two calls with random inputs, unless the file compiles and calls it itself.",
    "A model is compiled as one program; a node that needs computed elements, such as NonZero, cannot be part of it.",
    "Names are dimensions, with bounds by --where: '1<=n<=64', or n=4 to fix one.",
    "The module is one .wasm, one .js and one .d.ts file, which run without stridewise.",
  ],
  options: {
    output: { value: "FOLDER", about: "the folder of the files; it is created; also -o or --out" },
    name: { value: "NAME", about: "the name of the files (default: the name of the function)" },
    ...input,
  },
  examples: [
    {
      line: "build model.js#classify --output dist --input 'f32[n, 784]' --where '1<=n<=64'",
      about: "for up to 64 rows",
    },
    { line: "build model.onnx --output dist --where batch=1", about: "an ONNX model, for one size" },
  ],
  run: onlyStarts,
  start: startBuild,
};

async function startGraph(invocation: Invocation, io: ModelIo): Promise<Outcome> {
  const { compiled } = await load(invocation, "graph", io, false);
  const { drawGraph, drawMemory } = await import("../../draw/index.ts");
  const draw = invocation.options.has("memory") ? drawMemory : drawGraph;
  const lines = draw(compiled, { format: "text" }).trimEnd().split("\n");
  return { lines, data: { text: lines }, svg: () => draw(compiled) };
}

export const graphCommand: ModelCommand = {
  name: "graph",
  usage: operand.name,
  operands: [operand],
  summary: "show the program of a function or a model: tasks, fused ops, shapes, bytes",
  details: ["With --svg FILE, also draws it."],
  options: {
    memory: { about: "show the memory of values over time" },
    ...input,
  },
  examples: [
    { line: "graph model.js#classify --input 'f32[n, 784]' --svg graph.svg", about: "as text and as a picture" },
  ],
  run: onlyStarts,
  start: startGraph,
};
