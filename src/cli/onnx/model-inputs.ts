/**
 * The inputs of a model on the command line: `--input name=value`, where the value is a file, a number, a list or a text, and `--input FILE.npz`
 * for several inputs by their names.
 */
import { FileError, type FileTensor, loadNpy, loadNpz, loadSafetensors } from "../../io/index.ts";
import type { OnnxInput, OnnxModel, OnnxPort } from "../../onnx/index.ts";
import { suggestion, UsageError } from "../arguments.ts";
import { requireFile } from "./files.ts";
import { fitted, inlineValue, type Say } from "./input-values.ts";

interface Reading {
  readonly say: Say;
  readonly signal: AbortSignal;
}

/** Reads all inputs, in the dtypes that the model declares. Throws if one is unknown or missing. */
export async function readInputs(
  model: OnnxModel,
  path: string,
  texts: readonly string[],
  reading: Reading,
): Promise<Record<string, OnnxInput>> {
  const inputs = new Map<string, OnnxInput>();
  const add = (name: string, where: string, value: (port: OnnxPort) => OnnxInput): void => {
    const port = model.input(name);
    if (port === undefined) throw unknownInput(where, name, model, path);
    if (inputs.has(name)) throw new UsageError(`${where}: the input "${name}" is passed twice.`);
    inputs.set(name, value(port));
  };
  for (const text of texts) {
    const where = `--input ${text}`;
    const [name, value] = splitInput(model, text);
    if (name === undefined) {
      if (!isArchive(value)) throw new UsageError(`${where}: write --input NAME=VALUE.\n${listOf(model, path)}`);
      for (const [key, t] of await readArchive(value, where, reading))
        add(key, where, (port) => fitted(t, port, where, reading.say));
      continue;
    }
    const port = model.input(name);
    if (port === undefined) add(name, where, () => null);
    else {
      const result = await readValue(port, value, where, reading);
      add(name, where, () => result);
    }
  }
  const missing = model.inputs.filter(({ name, type }) => !inputs.has(name) && type.kind !== "optional");
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `"${name}"`).join(", ");
    throw new UsageError(
      `run: ${missing.length === 1 ? `the input ${names} is` : `the inputs ${names} are`} missing.\n${listOf(model, path)}`,
    );
  }
  return Object.fromEntries(inputs);
}

/** The error of an input that the model does not have. */
export function unknownInput(where: string, name: string, model: OnnxModel, path: string): UsageError {
  const hint = suggestion(
    name,
    model.inputs.map((each) => each.name),
  );
  return new UsageError(`${where}: the model has no input "${name}".${hint}\n${listOf(model, path)}`);
}

/** Splits `name=value`. A name may contain "="; it is omitted for archives, and is optional if the model has one input. */
export function splitInput(model: OnnxModel, text: string): readonly [name: string | undefined, value: string] {
  for (let at = text.indexOf("="); at >= 0; at = text.indexOf("=", at + 1))
    if (model.input(text.slice(0, at)) !== undefined) return [text.slice(0, at), text.slice(at + 1)];
  if (isArchive(text)) return [undefined, text];
  const at = text.indexOf("=");
  if (at >= 0) return [text.slice(0, at), text.slice(at + 1)];
  return [model.inputs.length === 1 ? model.inputs[0].name : undefined, text];
}

const isArchive = (path: string): boolean => /\.(npz|safetensors)$/i.test(path);

async function readArchive(path: string, where: string, { signal }: Reading): Promise<ReadonlyMap<string, FileTensor>> {
  requireFile(path);
  return readFile(where, async () =>
    /\.npz$/i.test(path) ? loadNpz(path, { signal }) : (await loadSafetensors(path, { signal })).tensors,
  );
}

/** Reads a file; errors name the option. */
async function readFile<T>(where: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FileError) throw new FileError(`${where}: ${error.message}`, undefined, { cause: error });
    throw error;
  }
}

/** Reads the value of one input. */
export async function readValue(port: OnnxPort, value: string, where: string, reading: Reading): Promise<OnnxInput> {
  if (port.type.kind !== "text" && /\.npy$/i.test(value)) {
    requireFile(value);
    const loaded = await readFile(where, () => loadNpy(value, { signal: reading.signal }));
    return fitted(loaded, port, where, reading.say);
  }
  return inlineValue(value, port, where, reading.say);
}

/** The inputs of a model with their types, one on each line. */
function listOf({ inputs }: OnnxModel, path: string): string {
  if (inputs.length === 0) return `${path} has no inputs.`;
  const width = Math.max(...inputs.map(({ name }) => name.length));
  return [`The inputs of ${path}:`, ...inputs.map(({ name, type }) => `  ${name.padEnd(width)}  ${type.text}`)].join(
    "\n",
  );
}
