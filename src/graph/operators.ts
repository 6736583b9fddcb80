/**
 * Operators by the names that they have in texts of graphs. Only functions that create nodes from names need this file: it refers to every op of
 * the library, so a bundle that contains it contains all of them.
 */
import { nearest } from "../base/arguments.ts";
import { once } from "../base/lazy.ts";
import * as fourier from "../ops/fft/fft.ts";
import { formulaOperator } from "../ops/formula-op.ts";
import * as ops from "../ops/index.ts";
import * as creation from "../tensor/create/create-ops.ts";
import { userOperators } from "../tensor/dispatch/library.ts";
import { definedOperators, type Operator } from "../tensor/dispatch/operator.ts";
import * as views from "../tensor/views/view-ops.ts";
import { condOp, scanOp, whileOp } from "./control/region-ops.ts";
import { GraphError } from "./ir.ts";

/** The number of functions in the modules that define ops. Reading it keeps bundlers from dropping them. */
const loaded = (): number => [fourier, ops, creation, views].reduce((sum, all) => sum + Object.keys(all).length, 0);

/** The built-in operators by name. If two have the same name, the one that composite ops call. */
const builtIn: () => ReadonlyMap<string, Operator> = /* @__PURE__ */ once(() => {
  const byName = new Map<string, Operator>();
  if (loaded() === 0) return byName;
  for (const operator of [...definedOperators(), formulaOperator(), condOp, whileOp, scanOp]) {
    const name = operator.facts.id ?? operator.name;
    const previous = byName.get(name);
    if (previous === undefined || (previous.kernelFor("composite") !== null && previous.plan === null))
      byName.set(name, operator);
  }
  return byName;
});

/** Returns the operator with this name in texts of graphs; undefined if there is none. */
export const findOperator = (name: string): Operator | undefined => userOperators().get(name) ?? builtIn().get(name);

/** Returns the names of all operators. */
export const operatorNames = (): string[] => [...builtIn().keys(), ...userOperators().keys()];

/** Returns the operator with this name, or throws in the name of `who`. */
export function operatorWithName(who: string, name: string): Operator {
  const operator = findOperator(name);
  if (operator !== undefined) return operator;
  const guess = nearest(name, operatorNames());
  throw new GraphError(
    `${who}: there is no op ${JSON.stringify(name)}. ${guess === undefined ? "Use the name of an op of the op reference" : `Did you mean ${guess}?`}`,
  );
}
