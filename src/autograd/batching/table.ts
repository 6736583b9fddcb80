/** All batching rules, by the kind in the facts of ops; elementwise ops need not state theirs. */
import { getOrCompute, once } from "../../base/lazy.ts";
import type { BatchingKind } from "../../tensor/dispatch/facts.ts";
import type { Operator } from "../../tensor/dispatch/operator.ts";
import { viewFacts } from "../../tensor/views/view-facts.ts";
import { accessRules } from "./access.ts";
import { axisRules } from "./along.ts";
import { contractRules } from "./contract.ts";
import { elementwiseRule } from "./elementwise.ts";
import { movementRules } from "./movement.ts";
import { routineRules } from "./routine.ts";
import { rowRules } from "./rows.ts";
import type { BatchingRule, RuleMaker } from "./rule.ts";
import { viewRules } from "./views.ts";

const makersByKind = (): Readonly<Record<BatchingKind, RuleMaker>> => ({
  ...accessRules(),
  ...axisRules(),
  ...contractRules(),
  ...movementRules(),
  ...routineRules(),
  ...rowRules(),
  ...viewRules(),
});

const makers = /* @__PURE__ */ once(makersByKind);
/** The rules in use, by their texts. */
const rules = /* @__PURE__ */ new Map<string, BatchingRule>();

/** The rule that a text states: a kind and its settings. */
function ruleOf(text: string): BatchingRule {
  const [kind, ...settings] = text.split(" ") as [BatchingKind, ...string[]];
  return makers()[kind](...settings);
}

/** The rule of an op, or null. */
export function ruleFor({ name, facts, family }: Operator): BatchingRule | null {
  const batch = facts.batch ?? viewFacts[name]?.batch;
  if (batch !== undefined) return getOrCompute(rules, batch, ruleOf);
  return family === "elementwise" ? elementwiseRule : null;
}
