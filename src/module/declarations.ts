/** The declarations of a module: the types of its typed arrays, with dtypes and shapes in comments. */
import { type DType, dtypes } from "../storage/dtype.ts";
import type { ModulePlan, Numeric, PlanResult, PlanVariant } from "./plan.ts";
import type { Variants } from "./variants.ts";

const arrays = {
  i8: "Int8Array",
  u8: "Uint8Array",
  i16: "Int16Array",
  u16: "Uint16Array",
  i32: "Int32Array",
  u32: "Uint32Array",
  f32: "Float32Array",
  f64: "Float64Array",
  i64: "BigInt64Array",
  u64: "BigUint64Array",
} as const;

const arrayOf = (dtype: DType): string => arrays[dtypes[dtype].array];

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** Returns the text of the .d.ts file. */
export function declarationsText(plan: ModulePlan, { main: variant, ...types }: Variants): string {
  const { name, symbols, state, numbers } = plan;
  const inputs = variant.inputs.map((input, k) => `input${k}: ${arrayOf(input.dtype)}`);
  const about = [
    ...variant.inputs.map(
      (_, k) => `input${k}: ${types.inputs[k]}${variant.written.includes(k) ? ", which is written to" : ""}`,
    ),
    ...variant.outputs.map((_, k) => `output ${k}: ${types.outputs[k]}`),
  ];
  const hasSizes = symbols.length > 0;
  const union = (names: readonly string[]): string =>
    names.length === 0 ? "never" : names.map((each) => JSON.stringify(each)).join(" | ");
  const record = (entries: readonly string[]): string => (entries.length === 0 ? "{}" : `{ ${entries.join(" ")} }`);
  return [
    `// The declarations of ${name}.js, written by Stridewise.`,
    "",
    ...(hasSizes
      ? [
          "/** The sizes of the tensors. */",
          "export interface Sizes {",
          ...symbols.map(
            (symbol) =>
              `  /** ${symbol.min} to ${symbol.max}${symbol.multipleOf === 1 ? "" : `, a multiple of ${symbol.multipleOf}`}. */\n  readonly ${symbol.name}: number;`,
          ),
          "}",
          "",
        ]
      : []),
    "/** The tensors that the function captured, in the memory of the module. */",
    `export type State = ${union(Object.keys(state))};`,
    "",
    "export interface Model {",
    "  /**",
    "   * Computes the function. All typed arrays are row-major.",
    ...about.map((line) => `   * - ${line}`),
    "   */",
    `  run(inputs: readonly [${inputs.join(", ")}]${hasSizes ? ", sizes: Sizes" : ""}): ${resultType(variant.result, variant)};`,
    ...Object.entries(state).map(
      ([each, { dtype, shape }]) =>
        `  /** Returns a copy of ${each}, ${dtype}[${shape.join(", ")}]. */\n  read(tensor: ${JSON.stringify(each)}): ${arrayOf(dtype)};`,
    ),
    ...(Object.keys(state).length === 0 ? ["  read(tensor: State): never;"] : []),
    "  /** Replaces the elements of a tensor that the function captured. */",
    "  write(tensor: State, values: ArrayBufferView): void;",
    "  /** Numbers that the next run uses. */",
    `  readonly numbers: ${record(Object.keys(numbers).map((each) => `${key(each)}: number;`))};`,
    "}",
    "",
    "/** Loads the module: the .wasm file next to the .js file, or a URL, bytes, a response or a compiled module. */",
    "export function load(source?: URL | string | BufferSource | Response | WebAssembly.Module | Promise<Response>): Promise<Model>;",
    "",
  ].join("\n");
}

function resultType(result: PlanResult<Numeric>, variant: PlanVariant<Numeric>): string {
  switch (result[0]) {
    case "output":
      return arrayOf(variant.outputs[result[1]].dtype);
    case "list":
      return `[${result[1].map((each) => resultType(each, variant)).join(", ")}]`;
    case "record":
      return `{ ${result[1].map(([name, each]) => `${key(name)}: ${resultType(each, variant)};`).join(" ")} }`;
    case "number":
      return "number";
    case "constant":
      return JSON.stringify(result[1]);
    case "undefined":
      return "undefined";
    default:
      return result satisfies never;
  }
}
