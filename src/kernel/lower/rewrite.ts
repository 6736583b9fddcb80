/**
 * Rewrites a kernel by rules: the base of every lowering pass.
 *
 * Values are visited operands first, each object once, so shared values stay shared; then their statements, inner ones first. Objects that no
 * rule changes stay the same (===), up to the kernel itself. Parameters are not rewritten; a pass that changes them replaces them in the result.
 */
import type { Kernel, Statement } from "../ir/kernel.ts";
import type { Scalar } from "../ir/scalar.ts";

export interface RewriteRules {
  /** Returns the replacement of `node`, whose operands are rewritten, or undefined to keep it; `original` has the old operands. */
  readonly scalar?: (node: Scalar, original: Scalar) => Scalar | undefined;
  /** Returns the replacement of `statement`, whose values and body are rewritten, or undefined to keep it. */
  readonly statement?: (statement: Statement, original: Statement) => readonly Statement[] | undefined;
}

/** Returns the kernel with every value and statement rewritten. */
export function rewriteKernel(kernel: Kernel, rules: RewriteRules): Kernel {
  const scalar = scalarRewriter(rules.scalar);
  const rewriteStatement = (original: Statement): readonly Statement[] => {
    const statement = withParts(original, scalar, rewriteList);
    return rules.statement?.(statement, original) ?? [statement];
  };
  const rewriteList = (list: readonly Statement[]): readonly Statement[] => flatMapSame(list, rewriteStatement);
  const body = rewriteList(kernel.body);
  return body === kernel.body ? kernel : { ...kernel, body };
}

/** Returns the function that rewrites a value and its operands, with a cache. */
export function scalarRewriter(rule: RewriteRules["scalar"]): (scalar: Scalar) => Scalar {
  const seen = new Map<Scalar, Scalar>();
  const rewrite = (original: Scalar): Scalar => {
    let result = seen.get(original);
    if (result === undefined) {
      const node = withOperands(original, rewrite);
      result = rule?.(node, original) ?? node;
      seen.set(original, result);
    }
    return result;
  };
  return rewrite;
}

function withOperands(node: Scalar, rewrite: (scalar: Scalar) => Scalar): Scalar {
  switch (node.kind) {
    case "call":
      return updated(node, { args: mapSame(node.args, rewrite) });
    case "cast":
      return updated(node, { of: rewrite(node.of) });
    case "load": {
      if (node.mask === undefined) return node;
      const mask = rewrite(node.mask);
      return updated(node, node.otherwise === undefined ? { mask } : { mask, otherwise: rewrite(node.otherwise) });
    }
    default:
      return node;
  }
}

function withParts(
  statement: Statement,
  rewrite: (scalar: Scalar) => Scalar,
  rewriteList: (list: readonly Statement[]) => readonly Statement[],
): Statement {
  switch (statement.kind) {
    case "loop":
      return updated(statement, { body: rewriteList(statement.body) });
    case "if":
      return updated(statement, { condition: rewrite(statement.condition), body: rewriteList(statement.body) });
    case "let":
    case "fetch":
    case "accumulate":
      return updated(statement, { value: rewrite(statement.value) });
    case "accumulator":
      return updated(statement, { initial: rewrite(statement.initial) });
    case "store": {
      const value = rewrite(statement.value);
      return updated(statement, statement.mask === undefined ? { value } : { value, mask: rewrite(statement.mask) });
    }
    case "index":
    case "walk":
    case "allocate":
    case "barrier":
      return statement;
    default:
      return statement satisfies never;
  }
}

/** The object with other parts, or itself if they are the same. */
function updated<T extends object>(object: T, parts: Partial<T>): T {
  for (const name in parts) if (parts[name] !== object[name]) return { ...object, ...parts };
  return object;
}

/** list.map(f), or the list itself if f changes nothing. */
function mapSame<T>(list: readonly T[], f: (item: T) => T): readonly T[] {
  const result = list.map(f);
  return result.every((item, i) => item === list[i]) ? list : result;
}

/** list.flatMap(f), or the list itself if f changes nothing. */
function flatMapSame<T>(list: readonly T[], f: (item: T) => readonly T[]): readonly T[] {
  const result = list.flatMap(f);
  return result.length === list.length && result.every((item, i) => item === list[i]) ? list : result;
}
