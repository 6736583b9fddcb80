/**
 * The rule about names: bound once, before their use, in scope, and used as what they are.
 * The other rules rely on it: they look names up without asking whether they are there.
 */
import { type Binding, isKernelName, parameterBindings, statementBindings } from "./bindings.ts";
import type { Statement } from "./kernel.ts";
import type { KernelRule } from "./verify-rule.ts";
import { type Use, usesOf } from "./visit.ts";

const words: Readonly<Record<Use["as"] | Binding["kind"], string>> = {
  integer: "an integer",
  buffer: "a buffer",
  modes: "a mode list",
  scalar: "a scalar parameter",
  value: "a let or an accumulator",
  accumulator: "an accumulator",
  let: "a let",
};

const fits = (use: Use["as"], kind: Binding["kind"]): boolean =>
  use === kind || (use === "value" && (kind === "let" || kind === "accumulator"));

export const namesRule: KernelRule = {
  name: "names",
  text: "A name is an identifier, is bound once and before its use, and is used in scope and as what it is.",
  check({ kernel, bindings }, report) {
    const bound = new Set<string>();
    const bind = (at: object, name: string, scope: Set<string>): void => {
      if (!isKernelName(name))
        report(at, `"${name}" cannot be a name here. Use letters, digits and _, and no reserved word.`);
      if (bound.has(name)) report(at, `${name} is bound twice. Give one of the two another name.`);
      bound.add(name);
      scope.add(name);
    };
    const outermost = new Set<string>();
    for (const parameter of [...kernel.buffers, ...kernel.scalars, ...kernel.sizes, ...kernel.modes])
      bind(parameter, parameter.name, outermost);
    for (const size of kernel.sizes)
      if (!Number.isSafeInteger(size.min) || !Number.isSafeInteger(size.max) || size.min > size.max)
        report(
          size,
          `${size.name} has no value from ${size.min} to ${size.max}. Give integers, the smaller one first.`,
        );
    const globals = new Map(parameterBindings(kernel));
    for (const modes of kernel.modes)
      for (const name of modes.buffers)
        if (globals.get(name)?.kind !== "buffer") report(modes, `${name} is no buffer parameter.`);

    const checkUse = (statement: Statement, { name, as }: Use, scope: ReadonlySet<string>): void => {
      const binding = bindings.get(name);
      if (binding === undefined) report(statement, `${name} is not bound.`);
      else if (!scope.has(name)) report(statement, `${name} is used before or outside of the list that binds it.`);
      else if (!fits(as, binding.kind)) report(statement, `${name} is ${words[binding.kind]}, and not ${words[as]}.`);
    };
    const checkList = (list: readonly Statement[], around: ReadonlySet<string>): void => {
      const scope = new Set(around);
      for (const statement of list) {
        for (const use of distinct(usesOf(statement))) checkUse(statement, use, scope);
        const inner = statement.kind === "loop" ? new Set(scope) : scope;
        for (const [name] of statementBindings(statement)) bind(statement, name, inner);
        if (statement.kind === "loop") checkList(statement.body, inner);
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
