/**
 * The rules about names and integer expressions. Names are bound once, before their use, in scope, and used by their kind; the other rules
 * rely on it. Symbols of expressions are those of `symbols.ts` with their bounds, and no divisor is 0.
 */
import { substitute } from "../../expr/evaluate.ts";
import { divisorsOf, range } from "../../expr/proofs.ts";
import { isKernelName, type NameBinding, parameterBindings, statementBindings, symbolOf } from "./bindings.ts";
import type { Statement } from "./kernel.ts";
import type { KernelRule } from "./verify-rule.ts";
import { exprsOf, type Use, usesOf } from "./visit.ts";

const words: Readonly<Record<Use["as"] | NameBinding["kind"], string>> = {
  integer: "an integer",
  buffer: "a buffer",
  modes: "a mode list",
  scalar: "a scalar parameter",
  value: "a let or an accumulator",
  accumulator: "an accumulator",
  let: "a let",
};

const fits = (use: Use["as"], kind: NameBinding["kind"]): boolean =>
  use === kind || (use === "value" && (kind === "let" || kind === "accumulator"));

export const namesRule: KernelRule = {
  name: "names",
  text: "A name is an identifier, is bound once and before its use, and is used in scope and by its kind.",
  check({ kernel, bindings }, report) {
    const bound = new Set<string>();
    const bind = (at: object, name: string, scope: Set<string>): void => {
      if (!isKernelName(name))
        report(at, `"${name}" is not a valid name. Use letters, digits and _, and no reserved word.`);
      if (bound.has(name)) report(at, `${name} is bound twice. Rename one of them.`);
      bound.add(name);
      scope.add(name);
    };
    const outermost = new Set<string>();
    for (const parameter of [...kernel.buffers, ...kernel.scalars, ...kernel.sizes, ...kernel.modes])
      bind(parameter, parameter.name, outermost);
    for (const size of kernel.sizes)
      if (!Number.isSafeInteger(size.min) || !Number.isSafeInteger(size.max) || size.min > size.max)
        report(size, `${size.name} has no value from ${size.min} to ${size.max}. Use integers, the smaller one first.`);
    const globals = new Map(parameterBindings(kernel));
    for (const modes of kernel.modes)
      for (const name of modes.buffers)
        if (globals.get(name)?.kind !== "buffer") report(modes, `${name} is not a buffer parameter.`);

    const checkUse = (statement: Statement, { name, as }: Use, scope: ReadonlySet<string>): void => {
      const binding = bindings.get(name);
      if (binding === undefined) report(statement, `${name} is not bound.`);
      else if (!scope.has(name)) report(statement, `${name} is used before or outside of the list that binds it.`);
      else if (!fits(as, binding.kind)) report(statement, `${name} is ${words[binding.kind]}, and not ${words[as]}.`);
    };
    const checkList = (list: readonly Statement[], enclosing: ReadonlySet<string>): void => {
      const scope = new Set(enclosing);
      for (const statement of list) {
        for (const use of distinct(usesOf(statement))) checkUse(statement, use, scope);
        const inner = "body" in statement ? new Set(scope) : scope;
        for (const [name] of statementBindings(statement)) bind(statement, name, inner);
        if ("body" in statement) checkList(statement.body, inner);
        if (statement.kind !== "walk") continue;
        const modes = bindings.get(statement.modes);
        if (modes?.kind === "modes" && modes.buffers.length !== statement.offsets.length)
          report(
            statement,
            `${statement.modes} has ${modes.buffers.length} buffers, and ${statement.offsets.length} offsets are named.`,
          );
      }
    };
    checkList(kernel.body, outermost);
  },
};

const distinct = (uses: readonly Use[]): Iterable<Use> =>
  new Map(uses.map((use) => [`${use.as} ${use.name}`, use])).values();

export const expressionsRule: KernelRule = {
  name: "expressions",
  text: "A symbol has the bounds of what it names, loops start at and index names hold 0 or more, and no divisor is 0.",
  check({ bindings, statements, resolvedNames }, report) {
    for (const { statement } of statements)
      for (const expr of exprsOf(statement))
        for (const [name, { key }] of expr.symbols) {
          const own = symbolOf(name, bindings.get(name) as NameBinding & { kind: "integer" });
          if (own.symbols.get(name)?.key !== key)
            report(
              statement,
              `the bounds of the symbol ${name} differ from those of its declaration. Create it with the same bounds.`,
            );
        }
    const { names } = resolvedNames();
    for (const { statement } of statements) {
      if (statement.kind === "loop" || statement.kind === "index") {
        const [what, value] =
          statement.kind === "loop" ? ["the loop starts at", statement.from] : ["the index is", statement.value];
        const [min, max] = range(substitute(value, names));
        if (max < 0) report(statement, `${what} ${value}, which is below 0.`);
        else if (min < 0) report(statement, `${what} ${value}, which may be below 0.`, "unproved");
      }
      for (const expr of exprsOf(statement))
        for (const divisor of divisorsOf(substitute(expr, names)))
          if (range(divisor)[0] <= 0 && range(divisor)[1] >= 0)
            report(statement, `${divisor} divides, and may be 0.`, "unproved");
    }
  },
};
