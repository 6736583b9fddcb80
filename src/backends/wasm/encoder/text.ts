/**
 * A module as WebAssembly text: one instruction per line, blocks indented, locals by name. Stable, for golden tests and for
 * people; `wat2wasm` compiles it to the same sections as `encodeModule`.
 */
import { blockType, encodingOf, type Instruction } from "./instructions.ts";
import type { Signature, WasmFunction, WasmImport, WasmModule } from "./module.ts";

/** The text of a module. */
export function printModule(module: WasmModule): string {
  const used = new Set<string>();
  const imports = module.imports.map((each) => printImport(each, used));
  // Labels of functions by index; imported ones count first.
  const functions = module.imports.flatMap((each, i) => (each.kind === "function" ? [imports[i].label] : []));
  const globals = module.imports.flatMap((each, i) => (each.kind === "global" ? [imports[i].label] : []));
  for (const { name } of module.functions) functions.push(unusedLabel(name, used));
  const firstDefined = functions.length - module.functions.length;
  const lines = [`(module ${unusedLabel(module.name, new Set())}`];
  for (const type of module.types ?? []) lines.push(`  (type (func${printSignature(type)}))`);
  for (const { text } of imports) lines.push(`  ${text}`);
  for (const { name, function: index } of module.exports)
    lines.push(`  (export ${quoted(name)} (func ${functions[index]}))`);
  module.functions.forEach((each, i) => {
    lines.push(...printFunction(each, functions[firstDefined + i], { functions, globals }));
  });
  return `${lines.join("\n")}\n)\n`;
}

/** The labels of functions and globals by index. */
interface Labels {
  readonly functions: readonly (string | undefined)[];
  readonly globals: readonly (string | undefined)[];
}

const quoted = (text: string): string => JSON.stringify(text);

/** A name as `$name`, with `_` for characters that the text format does not allow, and numbered if it is taken. */
function unusedLabel(name: string, used: Set<string>): string {
  const plain = `$${name.replace(/[^A-Za-z0-9_.+*/<>=!?@#%&|~^`'\\:-]/g, "_") || "_"}`;
  let label = plain;
  for (let n = 2; used.has(label); n++) label = `${plain}_${n}`;
  used.add(label);
  return label;
}

function printSignature({ params, results }: Signature): string {
  const list = (kind: string, types: readonly string[]) => (types.length > 0 ? ` (${kind} ${types.join(" ")})` : "");
  return list("param", params) + list("result", results);
}

function printImport(each: WasmImport, used: Set<string>): { readonly label: string; readonly text: string } {
  const label = unusedLabel(each.name, used);
  return { label, text: `(import ${quoted(each.module)} ${quoted(each.name)} (${described(each, label)}))` };
}

function described(each: WasmImport, label: string): string {
  switch (each.kind) {
    case "memory":
      return `memory ${label} ${each.initial} ${each.maximum}${each.shared ? " shared" : ""}`;
    case "global":
      return `global ${label} ${each.mutable ? `(mut ${each.type})` : each.type}`;
    case "function":
      return `func ${label}${printSignature(each)}`;
    case "table":
      return `table ${label} ${each.initial} funcref`;
    default:
      return each satisfies never;
  }
}

function printFunction(each: WasmFunction, label: string, labels: Labels): string[] {
  const types = [...each.params, ...each.locals];
  const used = new Set<string>();
  const locals = types.map((_, i) => unusedLabel(each.localNames?.[i] ?? `${i}`, used));
  const declared = (kind: string, i: number) => `(${kind} ${locals[i]} ${types[i]})`;
  const head = [`(func ${label}`, ...each.params.map((_, i) => declared("param", i))];
  if (each.results.length > 0) head.push(`(result ${each.results.join(" ")})`);
  const lines = [`  ${head.join(" ")}`];
  for (let i = each.params.length; i < types.length; i++) lines.push(`    ${declared("local", i)}`);
  let depth = 2;
  each.code.forEach((instruction, i) => {
    const op = instruction[0];
    const comment = each.comments?.[i];
    if (op === "end" || op === "else") depth--;
    const indent = "  ".repeat(Math.max(depth, 0));
    if (comment !== undefined) for (const line of comment.split("\n")) lines.push(`${indent};; ${line}`);
    lines.push(indent + printInstruction(instruction, locals, labels));
    if (op === "else" || encodingOf(op).immediates === "block") depth++;
  });
  lines.push("  )");
  return lines;
}

/** One instruction as a line of text; labels of branches stay depths. */
export function printInstruction(
  instruction: Instruction,
  locals: readonly (string | undefined)[] = [],
  { functions, globals }: Labels = { functions: [], globals: [] },
): string {
  const [op, first = 0, second = 0, third = 0] = instruction;
  const numbers = first as readonly number[];
  const address = () => `${second ? ` offset=${second}` : ""} align=${2 ** Number(first)}`;
  const { immediates } = encodingOf(op);
  switch (immediates) {
    case "none":
    case "zero":
    case "zeros":
      return op;
    case "block": {
      if (instruction[1] === undefined || first === blockType.void) return op;
      const name = Object.entries(blockType).find(([, code]) => code === first)?.[0];
      return `${op} ${name === undefined ? `(type ${first})` : `(result ${name})`}`;
    }
    case "index": {
      const byPrefix: Readonly<Record<string, Labels["functions"]>> = {
        local: locals,
        global: globals,
        call: functions,
      };
      const labels = byPrefix[op.split(".", 1)[0]];
      return `${op} ${labels?.[Number(first)] ?? first}`;
    }
    case "labels":
      return `${op} ${[...numbers, second].join(" ")}`;
    case "indirect":
      return `${op}${second ? ` ${second}` : ""} (type ${first})`;
    case "memory":
      return op + address();
    case "lane memory":
      return `${op}${address()} ${third}`;
    case "bytes":
      return `${op}${op === "v128.const" ? " i8x16" : ""} ${numbers.join(" ")}`;
    case "f32":
      return `${op} ${printFloat(Math.fround(Number(first)))}`;
    case "f64":
      return `${op} ${printFloat(Number(first))}`;
    case "i32":
      return `${op} ${Number(first) | 0}`;
    case "i64":
      return `${op} ${BigInt.asIntN(64, BigInt(first as number | bigint))}`;
    case "lane":
      return `${op} ${first}`;
    default:
      return immediates satisfies never;
  }
}

function printFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Object.is(value, -0) ? "-0" : `${value}`;
}
