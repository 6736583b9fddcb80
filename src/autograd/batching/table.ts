/** All batching rules: by the name of the op, else by its family. Ops that write to their first argument go by the name without `_`. */
import type { Operator } from "../../tensor/dispatch/operator.ts";
import { accessRules } from "./access.ts";
import { contractRules } from "./contract.ts";
import { elementwiseRule } from "./elementwise.ts";
import { movementRules } from "./movement.ts";
import { reduceRules } from "./reduce.ts";
import { routineRules } from "./routine.ts";
import { rowRules } from "./rows.ts";
import type { BatchingRule } from "./rule.ts";
import { viewRules } from "./views.ts";

let rules: Map<string, BatchingRule> | null = null;

const allRules = (): Map<string, BatchingRule> =>
  new Map(
    [accessRules, contractRules, movementRules, reduceRules, routineRules, rowRules, viewRules].flatMap((make) =>
      Object.entries(make()),
    ),
  );

/** The rule of an op, or null. */
export function ruleFor(op: Operator): BatchingRule | null {
  rules ??= allRules();
  const { name, family } = op;
  const found = rules.get(name) ?? (name.endsWith("_") ? rules.get(name.slice(0, -1)) : undefined);
  if (found !== undefined) return found;
  return family === "elementwise" ? elementwiseRule : null;
}
