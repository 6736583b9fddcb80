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
    case "call": {
      const args = mapSame(node.args, rewrite);
      return args === node.args ? node : { ...node, args };
    }
    case "cast": {
      const operand = rewrite(node.of);
      return operand === node.of ? node : { ...node, of: operand };
    }
    case "load": {
      if (node.mask === undefined) return node;
      const mask = rewrite(node.mask);
      const otherwise = node.otherwise && rewrite(node.otherwise);
      if (mask === node.mask && otherwise === node.otherwise) return node;
      return otherwise === undefined ? { ...node, mask } : { ...node, mask, otherwise };
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
    case "loop": {
      const body = rewriteList(statement.body);
      return body === statement.body ? statement : { ...statement, body };
    }
    case "if": {
      const condition = rewrite(statement.condition);
      const body = rewriteList(statement.body);
      return condition === statement.condition && body === statement.body
        ? statement
        : { ...statement, condition, body };
    }
    case "let":
    case "fetch":
    case "accumulate": {
      const value = rewrite(statement.value);
      return value === statement.value ? statement : { ...statement, value };
    }
    case "accumulator": {
      const initial = rewrite(statement.initial);
      return initial === statement.initial ? statement : { ...statement, initial };
    }
    case "store": {
      const value = rewrite(statement.value);
      const mask = statement.mask && rewrite(statement.mask);
      if (value === statement.value && mask === statement.mask) return statement;
      return mask === undefined ? { ...statement, value } : { ...statement, value, mask };
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
