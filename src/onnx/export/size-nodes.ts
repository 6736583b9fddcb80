/**
 * Sizes as nodes. A size is a number or an expression over the symbols of a graph; each symbol is the size of an axis of an input, which a Shape node
 * reads when the model runs. Shapes with at most one expression are constants where -1 can stand for it.
 */
import type { Polynomial } from "../../expr/polynomial.ts";
import type { Graph, Value } from "../../graph/ir.ts";
import { type Int, isStaticInt, isSymbolic } from "../../layout/int.ts";
import { type GraphWriter, NotExported, type Operand } from "./graph-writer.ts";

/** The axis of an input that determines a symbol: size = slope * symbol + start. */
interface SymbolSource {
  readonly input: Value;
  readonly axis: number;
  readonly slope: number;
  readonly start: number;
}

/** The axes that determine the symbols of a graph. */
export function symbolSources({ inputs }: Graph): ReadonlyMap<string, SymbolSource> {
  const sources = new Map<string, SymbolSource>();
  for (const { value } of inputs)
    for (const [axis, size] of value.type.shape.entries()) {
      if (!isSymbolic(size) || size.terms.length !== 1) continue;
      const [{ num, den, atoms }] = size.terms;
      const [atom] = atoms;
      if (atoms.length !== 1 || atom.kind !== "symbol" || den !== 1) continue;
      const known = sources.get(atom.name);
      if (known === undefined || (known.slope !== 1 && num === 1))
        sources.set(atom.name, { input: value, axis, slope: num, start: size.constant });
    }
  return sources;
}

export const numberOfSize = (size: Int): number | null =>
  typeof size === "number" ? size : isStaticInt(size) ? size.value : null;

/** Writes sizes of one graph. */
export class SizeWriter {
  readonly #writer: GraphWriter;
  readonly #sources: ReadonlyMap<string, SymbolSource>;
  readonly #operandOf: (value: Value) => Operand;
  readonly #known = new Map<string, Operand>();

  constructor(writer: GraphWriter, sources: ReadonlyMap<string, SymbolSource>, operandOf: (value: Value) => Operand) {
    this.#writer = writer;
    this.#sources = sources;
    this.#operandOf = operandOf;
  }

  /** Returns a list of sizes as an int64 tensor with one axis. */
  list(sizes: readonly Int[]): Operand {
    const numbers = sizes.map(numberOfSize);
    if (numbers.every((size) => size !== null)) return this.#writer.list(numbers);
    const parts = sizes.map((size) => this.size(size));
    return parts.length === 1 ? parts[0] : this.#writer.op("Concat", parts, { axis: 0 });
  }

  /** Reshapes a value. */
  reshape(value: Operand, shape: readonly Int[]): Operand {
    const numbers = shape.map(numberOfSize);
    const isOneOpen = numbers.filter((size) => size === null).length === 1 && !numbers.includes(0);
    const sizes = isOneOpen ? this.#writer.list(numbers.map((size) => size ?? -1)) : this.list(shape);
    return this.#writer.op("Reshape", [value, sizes], numbers.includes(0) ? { allowzero: 1 } : {});
  }

  /** Returns a size as an int64 tensor of shape [1]. */
  size(size: Int): Operand {
    const number = numberOfSize(size);
    return number === null ? this.#polynomial(size as Polynomial & Int) : this.#writer.list([number]);
  }

  #polynomial(value: Polynomial): Operand {
    const key = isSymbolic(value) ? String(value) : null;
    const known = key === null ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const writer = this.#writer;
    let sum: Operand | null = null;
    for (const { num, den, atoms } of value.terms) {
      let product = atoms.map((atom) => this.#atom(atom)).reduce((a, b) => writer.op("Mul", [a, b]));
      if (den !== 1) product = writer.op("Div", [product, writer.list([den])]);
      if (num !== 1) product = writer.op("Mul", [product, writer.list([num])]);
      sum = sum === null ? product : writer.op("Add", [sum, product]);
    }
    const constant = writer.list([value.constant]);
    const result = sum === null ? constant : value.constant === 0 ? sum : writer.op("Add", [sum, constant]);
    if (key !== null) this.#known.set(key, result);
    return result;
  }

  #atom(atom: Polynomial["terms"][number]["atoms"][number]): Operand {
    const writer = this.#writer;
    if (atom.kind === "symbol") return this.#symbol(atom.name);
    const args = atom.args.map((arg) => this.#polynomial(arg));
    switch (atom.kind) {
      case "mod":
        return writer.op("Mod", args);
      case "floorDiv": {
        // Div truncates toward 0, so the dividend is first made divisible.
        const rest = writer.op("Mod", args);
        return writer.op("Div", [writer.op("Sub", [args[0], rest]), args[1]]);
      }
      case "min":
        return writer.op("Min", args);
      case "max":
        return writer.op("Max", args);
      case "abs":
        return writer.op("Abs", args);
      case "and":
      case "xor":
      case "shiftLeft":
        throw new NotExported(`has a size with ${atom.kind}, which ONNX computes on unsigned integers alone`);
      default:
        return args.reduce((a, b) => writer.op("Mul", [a, b]));
    }
  }

  #symbol(name: string): Operand {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const source = this.#sources.get(name);
    if (source === undefined) throw new NotExported(`has a size ${name} that no axis of an input determines`);
    const writer = this.#writer;
    const { input, axis, slope, start } = source;
    let size = writer.op("Shape", [this.#operandOf(input)], { start: axis, end: axis + 1 }, "int64");
    if (start !== 0) size = writer.op("Sub", [size, writer.list([start])]);
    if (slope !== 1) size = writer.op("Div", [size, writer.list([slope])]);
    this.#known.set(name, size);
    return size;
  }
}
