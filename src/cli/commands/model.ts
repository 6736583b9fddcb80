/** Commands about functions in files of the user: a standalone module, and the graph. */
import { optionValue, UsageError } from "../arguments.ts";
import type { Invocation, Outcome } from "../command.ts";
import type { ModelCommand, ModelIo } from "../model-command.ts";
import { writeTo } from "../output.ts";

const operand = { name: "FILE#FUNCTION", about: "a .js, .mjs or .ts file, and the name of a function that it exports" };

const input = {
  input: {
    value: "TYPE",
    about: "the dtype and sizes of a tensor argument: 'f32[n, 16]'; names are dimensions, with bounds by --where",
    repeats: true,
  },
} as const;

/** A command of this file runs by `start`. */
const onlyStarts = (): never => {
  throw new UsageError("this command imports a file, which needs a process.");
};

function specOf({ operands }: Invocation, name: string): string {
  const [spec, extra] = operands;
  const usage = `Usage: stridewise ${name} FILE#FUNCTION`;
  if (spec === undefined) throw new UsageError(`${name}: FILE#FUNCTION is missing (${operand.about}). ${usage}`);
  if (extra !== undefined) throw new UsageError(`${name}: unexpected operand ${extra}. ${usage}`);
  return spec;
}

async function load(invocation: Invocation, name: string, io: ModelIo) {
  const spec = specOf(invocation, name);
  const { loadFunction } = await import("../load-function.ts");
  return loadFunction(spec, invocation.options.get("input") ?? [], invocation.facts, io.importModule);
}

async function startBuild(invocation: Invocation, io: ModelIo): Promise<Outcome> {
  const out = optionValue(invocation.options, "out");
  if (out === undefined) throw new UsageError("build: --out FOLDER is missing.");
  const { name, compiled } = await load(invocation, "build", io);
  const { toModule } = await import("../../module/index.ts");
  const { files } = toModule(compiled, { name: optionValue(invocation.options, "name") ?? name });
  const sizes = Object.entries(files).map(([file, content]) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    return { path: `${out}/${file}`, bytes };
  });
  io.makeFolder(out);
  for (const { path, bytes } of sizes) writeTo(path, bytes, io);
  return {
    lines: sizes.map(({ path, bytes }) => `${path}: ${bytes.length.toLocaleString("en-US")} bytes`),
    data: { files: Object.fromEntries(sizes.map(({ path, bytes }) => [path, bytes.length])) },
  };
}

const build: ModelCommand = {
  name: "build",
  usage: operand.name,
  operands: [operand],
  summary: "write a function as a standalone module",
  details: [
    "The function is compiled by two calls with random inputs, unless the file compiles and calls it itself.",
    "The module is one .wasm, one .js and one .d.ts file, which run without stridewise.",
  ],
  options: {
    out: { value: "FOLDER", about: "the folder of the files; it is created" },
    name: { value: "NAME", about: "the name of the files (default: the name of the function)" },
    ...input,
  },
  examples: [
    { line: "build model.js#classify --out dist --input 'f32[n, 784]' --where '1<=n<=64'", about: "for up to 64 rows" },
  ],
  run: onlyStarts,
  start: startBuild,
};

async function startGraph(invocation: Invocation, io: ModelIo): Promise<Outcome> {
  const { compiled } = await load(invocation, "graph", io);
  const { drawGraph, drawMemory } = await import("../../draw/index.ts");
  const draw = invocation.options.has("memory") ? drawMemory : drawGraph;
  const lines = draw(compiled, { format: "text" }).trimEnd().split("\n");
  return { lines, data: { text: lines }, svg: () => draw(compiled) };
}

const graph: ModelCommand = {
  name: "graph",
  usage: operand.name,
  operands: [operand],
  summary: "show the program of a function: tasks, fused ops, shapes, bytes",
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

export const modelCommands: readonly ModelCommand[] = [build, graph];
