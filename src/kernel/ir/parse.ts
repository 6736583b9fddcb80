/**
 * The parser of kernels: the inverse of `print.ts`, for kernels written by hand. One parameter or statement on a line; comments from `#` to
 * the end of the line.
 * Guarantees: printKernel(parseKernel(t)) = t for every printed t. A name must be bound in an earlier line, which defines its dtype;
 * `verify.ts` checks scopes and all other rules.
 */
import { type DType, dtypeNames, isDType } from "../../storage/dtype.ts";
import { type NameBinding, parameterBindings, statementBindings, symbolOf } from "./bindings.ts";
import { KernelError } from "./error.ts";
import type { Combination, Kernel, LoopStatement, Statement } from "./kernel.ts";
import { namesOf, type ParseScope, parseScalar } from "./parse-scalar.ts";
import type { Scalar } from "./scalar.ts";
import { Cursor } from "./tokens.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

const loopLimit = 100;
const loopModes: readonly LoopStatement["mode"][] = ["serial", "parallel", "vector", "unrolled", "threads"];

/** Parses a kernel; throws a KernelError with the position of the first mistake. */
export function parseKernel(text: string): Kernel {
  if (typeof text !== "string") throw new KernelError(`parseKernel: a kernel is read from text, got ${String(text)}.`);
  const cursor = new Cursor(text);
  const scope: ParseScope = { bindings: new Map(), symbols: Object.create(null), shared: new Map() };
  cursor.skipLines();
  cursor.expect("kernel");
  const name = cursor.word("the name of the kernel");
  const mayFuseProducts = cursor.takeIf("fused");
  cursor.endLine();
  const kernel: Mutable<Kernel> = {
    name,
    ...(mayFuseProducts && { mayFuseProducts }),
    buffers: [],
    scalars: [],
    sizes: [],
    modes: [],
    body: [],
  };
  while (!cursor.takeIf("{")) {
    parseParameter(cursor, kernel, scope);
    cursor.endLine();
  }
  cursor.endLine();
  kernel.body = parseBlock(cursor, scope);
  if (cursor.peek().text !== "") cursor.missing("the end");
  return kernel;
}

function bind(cursor: Cursor, scope: ParseScope, bindings: readonly [name: string, NameBinding][], at: number): void {
  for (const [name, binding] of bindings) {
    scope.bindings.set(name, binding);
    if (binding.kind === "integer") scope.symbols[name] = cursor.located(at, () => symbolOf(name, binding));
  }
}

function parseParameter(cursor: Cursor, kernel: Mutable<Kernel>, scope: ParseScope): void {
  const { at } = cursor.peek();
  const what = cursor.oneOf(["buffer", "scalar", "size", "modes", "{"] as const);
  const name = cursor.word(`the name of a ${what}`);
  cursor.expect(":");
  const own: Mutable<Pick<Kernel, "buffers" | "scalars" | "sizes" | "modes">> = {
    buffers: [],
    scalars: [],
    sizes: [],
    modes: [],
  };
  if (what === "buffer") {
    const dtype = parseDType(cursor);
    own.buffers.push({ name, dtype, access: cursor.oneOf(["read", "write", "readwrite"]) });
  } else if (what === "scalar") own.scalars.push({ name, dtype: parseDType(cursor) });
  else if (what === "size") {
    const min = cursor.integer("the smallest value");
    cursor.expect("..");
    own.sizes.push({ name, min, max: cursor.integer("the largest value") });
  } else own.modes.push({ name, buffers: [...cursor.words("a buffer")] });
  kernel.buffers.push(...own.buffers);
  kernel.scalars.push(...own.scalars);
  kernel.sizes.push(...own.sizes);
  kernel.modes.push(...own.modes);
  bind(cursor, scope, parameterBindings(own), at);
}

function parseDType(cursor: Cursor): DType {
  const { text, at } = cursor.peek();
  if (!/^[A-Za-z_]/.test(text)) return cursor.missing("a dtype");
  if (!isDType(text)) return cursor.unknown("dtype", text, dtypeNames, at);
  cursor.take();
  return text;
}

/** Parses statements up to the closing brace and the end of its line. */
function parseBlock(cursor: Cursor, scope: ParseScope, depth = 0): Statement[] {
  if (depth > loopLimit) cursor.fail(`loops and conditions are nested more than ${loopLimit} deep`, cursor.peek().at);
  const list: Statement[] = [];
  while (!cursor.takeIf("}")) {
    const token = cursor.peek();
    if (token.text.startsWith("%")) {
      cursor.take();
      cursor.expect("=");
      scope.shared.set(token.text, parseScalar(cursor, scope));
    } else {
      const statement = parseStatement(cursor, scope, depth);
      scope.shared.clear();
      if (!("body" in statement)) bind(cursor, scope, statementBindings(statement), token.at);
      list.push(statement);
      if ("body" in statement) continue;
    }
    cursor.endLine();
  }
  cursor.endLine();
  return list;
}

function parseStatement(cursor: Cursor, scope: ParseScope, depth: number): Statement {
  const [first, second] = [cursor.peek(), cursor.peek(1).text];
  if (second === "[") return parseStore(cursor, scope);
  if (/^\w+=$/.test(second)) {
    const into = cursor.word("an accumulator");
    if (scope.bindings.get(into)?.kind !== "accumulator")
      cursor.unknown("accumulator", into, namesOf(scope, "accumulator"), first.at);
    const fn = cursor.take().text.slice(0, -1) as Combination;
    return { kind: "accumulate", into, fn, value: parseScalar(cursor, scope) };
  }
  const mode = loopModes.find((each) => each === first.text);
  if (mode !== undefined) return parseLoop(cursor, scope, mode, depth);
  if (first.text === "if") return parseIf(cursor, scope, depth);
  const rule = Object.hasOwn(statements, first.text) ? statements[first.text] : undefined;
  if (rule === undefined) {
    if (!/^\w/.test(first.text)) return cursor.missing("a statement");
    return cursor.unknown("statement", first.text, [...loopModes, "if", ...Object.keys(statements)], first.at);
  }
  cursor.take();
  return rule(cursor, scope);
}

function parseLoop(cursor: Cursor, scope: ParseScope, mode: LoopStatement["mode"], depth: number): Statement {
  const { at } = cursor.take();
  const index = cursor.word("the index of the loop");
  cursor.expect("in");
  const from = cursor.expression(scope.symbols);
  cursor.expect("..");
  const to = cursor.expression(scope.symbols);
  if (mode === "vector") cursor.expect("by");
  const by = mode === "vector" ? cursor.integer("the number of iterations at a time") : 1;
  openBlock(cursor);
  const loop = { kind: "loop", mode, index, from, to, by } as const;
  bind(cursor, scope, statementBindings({ ...loop, body: [] }), at);
  return { ...loop, body: parseBlock(cursor, scope, depth + 1) };
}

function parseIf(cursor: Cursor, scope: ParseScope, depth: number): Statement {
  cursor.take();
  const condition = parseScalar(cursor, scope);
  openBlock(cursor);
  scope.shared.clear();
  return { kind: "if", condition, body: parseBlock(cursor, scope, depth + 1) };
}

function openBlock(cursor: Cursor): void {
  cursor.expect("{");
  cursor.endLine();
}

function parseStore(cursor: Cursor, scope: ParseScope): Statement {
  const { at } = cursor.peek();
  const buffer = cursor.word("a buffer");
  if (scope.bindings.get(buffer)?.kind !== "buffer") cursor.unknown("buffer", buffer, namesOf(scope, "buffer"), at);
  cursor.expect("[");
  const index = cursor.expression(scope.symbols);
  cursor.expect("]");
  cursor.expect("=");
  const value = parseScalar(cursor, scope);
  const store = { kind: "store", buffer, index, value } as const;
  return cursor.takeIf("where") ? { ...store, mask: parseScalar(cursor, scope) } : store;
}

/** The parsers of statements that start with a word. */
const statements: Readonly<Record<string, (cursor: Cursor, scope: ParseScope) => Statement>> = {
  index: (cursor, { symbols }) => ({ kind: "index", name: parseName(cursor), value: cursor.expression(symbols) }),
  fetch: (cursor, scope) => ({ kind: "fetch", name: parseName(cursor), value: parseScalar(cursor, scope) }),
  let: (cursor, scope) => {
    const [name, value] = parseTyped(cursor, scope);
    return { kind: "let", name, value };
  },
  accumulator: (cursor, scope) => {
    const [name, initial] = parseTyped(cursor, scope);
    return { kind: "accumulator", name, initial };
  },
  walk: (cursor, { symbols }) => {
    const modes = cursor.word("a mode list");
    cursor.expect("at");
    const position = cursor.expression(symbols);
    cursor.expect("->");
    return { kind: "walk", modes, position, offsets: cursor.words("the name of an offset") };
  },
  allocate: (cursor) => {
    const name = cursor.word("a name");
    cursor.expect(":");
    const dtype = parseDType(cursor);
    cursor.expect("[");
    const length = cursor.integer("the number of elements");
    cursor.expect("]");
    cursor.expect("in");
    return { kind: "allocate", name, dtype, length, space: cursor.oneOf(["smem", "rmem"]) };
  },
  barrier: () => ({ kind: "barrier" }),
};

/** `NAME =` */
function parseName(cursor: Cursor): string {
  const name = cursor.word("a name");
  cursor.expect("=");
  return name;
}

/** `NAME: dtype = value` */
function parseTyped(cursor: Cursor, scope: ParseScope): [name: string, value: Scalar] {
  const name = cursor.word("a name");
  cursor.expect(":");
  const { at } = cursor.peek();
  const dtype = parseDType(cursor);
  cursor.expect("=");
  const value = parseScalar(cursor, scope);
  if (value.dtype !== dtype) cursor.fail(`${name} is declared ${dtype}, and its value is ${value.dtype}`, at);
  return [name, value];
}
