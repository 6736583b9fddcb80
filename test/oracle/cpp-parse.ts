/**
 * The C++ notation of recorded expressions, to a tree: `composition(Layout<Shape<_6,_2>>{},Layout<_4,_3>{})`,
 * `auto t=make_tensor(...); lo(t(_,5));`. A name followed by `<` always opens template arguments: the notation compares
 * nothing with `<`. `(float*)0x10` is read as `pointer_to<float>(0x10)`, `T::Member` as `T.Member`. Knows no names; `cpp-evaluate.ts` gives them meaning.
 */

export type Node =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "name"; readonly name: string; readonly template: readonly Node[] }
  | { readonly kind: "call"; readonly callee: Node; readonly args: readonly Node[] }
  | { readonly kind: "member"; readonly object: Node; readonly name: string; readonly template: readonly Node[] }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly kind: "negate"; readonly of: Node };

/** One statement: an expression, or `auto name = expression`. */
export interface Statement {
  readonly assignTo?: string;
  readonly value: Node;
}

/** Text outside the notation. */
export class CppSyntaxError extends Error {}

interface Token {
  readonly kind: "name" | "number" | "text" | "mark";
  readonly text: string;
}

const tokenPattern =
  /\s*(?:(?<name>[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)|(?<number>0b[01]+|0x[\da-fA-F]+|\d+)|"(?<text>(?:[^"\\]|\\.)*)"|(?<mark>==|::|[-+*%(){}<>,.;=]))/y;

export function tokens(text: string): Token[] {
  const found: Token[] = [];
  const pattern = new RegExp(tokenPattern.source, "y");
  while (pattern.lastIndex < text.trimEnd().length) {
    const at = pattern.lastIndex;
    const groups = pattern.exec(text)?.groups;
    if (!groups) throw new CppSyntaxError(`unexpected "${text.slice(at, at + 12)}"`);
    for (const kind of ["name", "number", "text", "mark"] as const)
      if (groups[kind] !== undefined) found.push({ kind, text: groups[kind] });
  }
  return found;
}

/** Reads the statements of a text. */
export function parseCpp(text: string): Statement[] {
  const list = tokens(text);
  let position = 0;
  const peek = (offset = 0): string => {
    const token = list[position + offset];
    return token === undefined ? "" : token.kind === "mark" ? token.text : token.kind;
  };
  const take = (mark: string): boolean => {
    if (peek() !== mark) return false;
    position++;
    return true;
  };
  const expect = (mark: string): void => {
    if (!take(mark)) throw new CppSyntaxError(`expected "${mark}" before "${list[position]?.text ?? "the end"}"`);
  };
  const next = (): Token => {
    const token = list[position++];
    if (!token) throw new CppSyntaxError("unexpected end");
    return token;
  };

  const items = (close: string): Node[] => {
    const nodes: Node[] = [];
    while (!take(close)) {
      nodes.push(equality());
      if (!take(",")) {
        expect(close);
        break;
      }
    }
    return nodes;
  };
  const templateArgs = (): Node[] => (take("<") ? items(">") : []);

  const primary = (): Node => {
    const token = next();
    if (token.kind === "number") return { kind: "number", value: Number(token.text) };
    if (token.kind === "text") return { kind: "text", value: JSON.parse(`"${token.text}"`) as string };
    if (token.kind === "name" && token.text === "typename") return primary();
    if (token.kind === "name") return { kind: "name", name: token.text, template: templateArgs() };
    if (token.text === "(" && peek() === "name" && peek(1) === "*" && peek(2) === ")") {
      const type = primary();
      expect("*");
      expect(")");
      return { kind: "call", callee: { kind: "name", name: "pointer_to", template: [type] }, args: [unary()] };
    }
    if (token.text === "(") {
      const inner = equality();
      expect(")");
      return inner;
    }
    throw new CppSyntaxError(`unexpected "${token.text}"`);
  };
  const postfix = (): Node => {
    let node = primary();
    for (;;) {
      if (take("(")) node = { kind: "call", callee: node, args: items(")") };
      else if (take("{")) {
        const args = items("}");
        node = args.length === 0 ? node : { kind: "call", callee: node, args };
      } else if (take(".") || take("::")) {
        const name = next();
        if (name.kind !== "name") throw new CppSyntaxError(`expected a member before "${name.text}"`);
        node = { kind: "member", object: node, name: name.text, template: templateArgs() };
      } else return node;
    }
  };
  const unary = (): Node => (take("-") ? { kind: "negate", of: unary() } : postfix());
  const chain = (operators: readonly string[], operand: () => Node): Node => {
    let left = operand();
    for (;;) {
      const operator = operators.find((mark) => peek() === mark);
      if (operator === undefined) return left;
      position++;
      left = { kind: "binary", operator, left, right: operand() };
    }
  };
  const product = (): Node => chain(["*", "%"], unary);
  const total = (): Node => chain(["+", "-"], product);
  const equality = (): Node => chain(["=="], total);

  const statements: Statement[] = [];
  while (position < list.length) {
    if (take(";")) continue;
    const isAuto = list[position]?.text === "auto" && peek(1) === "name" && peek(2) === "=";
    if (isAuto) {
      const name = (list[position + 1] as Token).text;
      position += 3;
      statements.push({ assignTo: name, value: equality() });
    } else statements.push({ value: equality() });
    if (position < list.length) expect(";");
  }
  return statements;
}
