/** The command line of `models.ts`: files, and how their inputs are made. */

/** How the inputs of a model are made. */
export interface InputOptions {
  /** Sizes by the name of a dimension, or by `input:axis` where it has none. */
  readonly dims: ReadonlyMap<string, number>;
  /** The range [low, high) of the elements of an input. */
  readonly ranges: ReadonlyMap<string, readonly [low: number, high: number]>;
  /** The value of all elements of an input, one for each step; the last one is repeated. */
  readonly values: ReadonlyMap<string, readonly number[]>;
  /** The number of calls. Between them, outputs become inputs by `feeds`. */
  readonly steps: number;
  /** Texts in names of outputs, and what replaces them in the names of the inputs that receive their values. */
  readonly feeds: readonly (readonly [output: string, input: string])[];
}

export interface Options extends InputOptions {
  readonly files: readonly string[];
  /** False to leave the export out. */
  readonly isExported: boolean;
}

export const usage = `Usage: npx tsx bench/onnx/models.ts [NAME or FILE.onnx]... [options]
  --dim NAME=N          the size of a dimension; NAME may be INPUT:AXIS
  --range INPUT=LO:HI   elements of an input are in [LO, HI)
  --value INPUT=A,B     all elements of an input are A in the first step, then B
  --steps N             N calls in a row
  --feed OUTPUT=INPUT   between calls, an output becomes the input whose name has INPUT in place of OUTPUT
  --no-export           only run the model`;

/** Parses the words of a command line. Throws an error that has the usage. */
export function readOptions(words: readonly string[]): Options {
  const files: string[] = [];
  const dims = new Map<string, number>();
  const ranges = new Map<string, readonly [number, number]>();
  const values = new Map<string, readonly number[]>();
  const feeds: (readonly [string, string])[] = [];
  let steps = 1;
  let isExported = true;
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith("--")) {
      files.push(word);
      continue;
    }
    if (word === "--no-export") {
      isExported = false;
      continue;
    }
    const text = rest.shift() ?? "";
    const at = text.indexOf("=");
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    if (word === "--dim") dims.set(name, numberOf(value, text));
    else if (word === "--range") {
      const [low, high = ""] = value.split(":");
      ranges.set(name, [numberOf(low, text), numberOf(high, text)]);
    } else if (word === "--value")
      values.set(
        name,
        value.split(",").map((each) => numberOf(each, text)),
      );
    else if (word === "--feed") feeds.push([name, value]);
    else if (word === "--steps") steps = numberOf(text, text);
    else throw new Error(`models: there is no option ${word}.\n${usage}`);
  }
  return { files, dims, ranges, values, feeds, steps, isExported };
}

function numberOf(value: string, text: string): number {
  const number = Number(value);
  if (value === "" || Number.isNaN(number)) throw new Error(`models: "${text}" needs a number.\n${usage}`);
  return number;
}
