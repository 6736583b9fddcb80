/** The steps of a program as steps of a plan. Steps that need code of this library throw an error that names them. */
import { GraphError } from "../graph/ir.ts";
import type { HostStep, Program, Step } from "../kernel/program/program.ts";
import { argumentWords, blockBytes } from "./argument-words.ts";
import type { ModuleParts } from "./parts.ts";
import type { PlanStep } from "./plan.ts";

/** The name of a slot in a plan. */
export const slotName = (slot: number): string => `%${slot}`;

export interface PlannedSteps {
  readonly steps: readonly PlanStep<number>[];
  /** The first and the last step that uses a slot. */
  readonly uses: ReadonlyMap<string, readonly [first: number, last: number]>;
  /** Bytes of all argument blocks. */
  readonly blocks: number;
}

/** Returns the steps of a program. */
export function planSteps(who: string, { steps }: Program, parts: ModuleParts): PlannedSteps {
  const uses = new Map<string, readonly [number, number]>();
  let blocks = 0;
  let index = 0;
  const use = (slot: number): string => {
    const name = slotName(slot);
    uses.set(name, [uses.get(name)?.[0] ?? index, index]);
    return name;
  };
  const at = ({ slot, shift }: { readonly slot: number; readonly shift: number }) => ({ slot: use(slot), shift });
  const planned = (step: Step): PlanStep<number> => {
    switch (step.kind) {
      case "launch": {
        const { name, layout } = parts.kernelOf(step.kernel);
        const words = argumentWords(layout, step, use);
        blocks += blockBytes(words);
        return { do: "run", kernel: name, words, units: step.units };
      }
      case "pieces": {
        const moving = step.moving.map(({ slot, base, shift, advance }) => ({
          slot: slotName(slot),
          base: use(base),
          shift,
          advance,
        }));
        return { do: "repeat", rounds: step.rounds, moving, steps: step.steps.map(planned) };
      }
      case "choice": {
        if (step.rule === undefined) throw refusal(who, `the choice "${step.name}"`);
        const { counts, times, max } = step.rule;
        const lists = { steps: step.steps.map(planned), otherwise: step.otherwise.map(planned) };
        return { do: "if even", ...at(step.rule), counts, times, max, ...lists };
      }
      case "host":
        return plannedHost(step);
      case "copy":
        throw refusal(who, "a copy between memories");
      default:
        throw refusal(who, (step as { readonly kind: string }).kind);
    }
  };
  const plannedHost = ({ name, rule }: HostStep): PlanStep<number> => {
    switch (rule?.kind) {
      case "bounds": {
        const { dtype, count, who: op, bounds } = rule;
        if (bounds === null) throw refusal(who, name);
        // Sizes in the message may be arguments of the module.
        const { size, what, isNegativeAllowed = false, outside = "out of bounds" } = bounds;
        const text = `${op}: index # is ${outside} for ${what}`
          .split(/(\d+)/)
          .map((part, k) => (k % 2 === 0 ? part : Number(part)));
        return { do: "check", ...at(rule), dtype, count, min: isNegativeAllowed ? -size : 0, end: size, error: text };
      }
      case "join": {
        const [to, ...from] = rule.slots.map((slot, k) => ({
          ...at({ slot, shift: rule.shifts[k] }),
          bytes: rule.bytes[k],
        }));
        return { do: "join", slot: to.slot, shift: to.shift, parts: from };
      }
      case undefined:
        throw refusal(who, name);
      default:
        return rule satisfies never;
    }
  };
  const result = steps.map((step) => {
    const plan = planned(step);
    index++;
    return plan;
  });
  return { steps: result, uses, blocks };
}

const refusal = (who: string, name: string): GraphError =>
  new GraphError(
    `${who}: ${name} is computed by the library, not by a kernel, so a module cannot contain it. Compute it outside of the compiled function`,
  );
