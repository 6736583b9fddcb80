/** Rules of reductions and scans: axes are given, or all but the batch. */
import { along } from "./along.ts";
import type { Rules } from "./rule.ts";

const names = (text: string): string[] => text.split(" ");
const each = (text: string, rule: Rules[string]): [string, Rules[string]][] => names(text).map((name) => [name, rule]);

const overAll = /* @__PURE__ */ along([1, "all"]);

export const reduceRules = (): Rules =>
  Object.fromEntries([
    ...each(
      "sum prod mean amax amin any all countNonzero logsumexp var std varMean stdMean vectorNorm argmax argmin",
      overAll,
    ),
    ...each("maxAlong minAlong cumsum cumprod logcumsumexp cummax cummin shift", along([1])),
    ...each("recurrence", along([2])),
    ...each("medianAlong nanmedianAlong medianOfAll nanmedianOfAll", along([1])),
    // The op of that name that users call is made of others.
    ...each("max min", (call) => (call.op.kernelFor("composite") === null ? overAll(call) : undefined)),
  ]);
