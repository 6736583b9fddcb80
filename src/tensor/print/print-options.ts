/**
 * Print options: the options of PyTorch's `set_printoptions` and its three profiles.
 * One setting holds for the whole program; `formatTensor` takes changes for a single text. An omitted option keeps its
 * value, and a profile sets all of them.
 */

import { checkObject, nearest } from "../../base/arguments.ts";
import { StridewiseError } from "../../base/errors.ts";
import { runtime } from "../../base/runtime.ts";

export interface PrintOptions {
  /** Digits after the point, 0 to 99. */
  readonly precision: number;
  /** A tensor of more elements than this is summarized; Infinity: never. */
  readonly threshold: number;
  /** The number of items that a summary shows at each end of an axis. */
  readonly edgeItems: number;
  /** The line width in characters; Infinity for no line breaks. */
  readonly lineWidth: number;
  /** Scientific notation always (true), never (false), or depending on the values (null). */
  readonly sciMode: boolean | null;
}

/** "default", "short" (2 digits, 2 edge items) or "full" (never summarized). */
export type PrintProfile = "default" | "short" | "full";

/** Options that differ from those in force; a profile is the base that the other fields change. */
export interface PrintChanges extends Partial<PrintOptions> {
  readonly profile?: PrintProfile;
}

/** An option of printing that does not exist, or a value that it cannot have. */
export class PrintOptionError extends StridewiseError {
  override readonly name = "PrintOptionError";
}

const usual: PrintOptions = { precision: 4, threshold: 1000, edgeItems: 3, lineWidth: 80, sciMode: null };
const profiles: Readonly<Record<PrintProfile, PrintOptions>> = {
  default: usual,
  short: { ...usual, precision: 2, edgeItems: 2 },
  full: { ...usual, threshold: Infinity },
};

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly text: string;
}

const rules: Readonly<Record<keyof PrintOptions, Rule>> = {
  precision: { holds: (v) => isCount(v) && (v as number) <= 99, text: "an integer from 0 to 99" },
  threshold: { holds: (v) => typeof v === "number" && v >= 0, text: "a number of elements, 0 or more, or Infinity" },
  edgeItems: { holds: isCount, text: "a non-negative integer" },
  lineWidth: {
    holds: (v) => v === Infinity || (isCount(v) && v !== 0),
    text: "a positive integer or Infinity",
  },
  sciMode: { holds: (v) => v === null || typeof v === "boolean", text: "true, false, or null to choose by the values" },
};
const optionNames = Object.keys(rules);

const printing: { options: PrintOptions } = /* @__PURE__ */ runtime.own("tensor/print/print-options", {
  options: usual,
});

/** The options in force. */
export const getPrintOptions = (): PrintOptions => printing.options;

/** Changes the options for everything printed from now on; `{ profile: "default" }` restores them. */
export function setPrintOptions(changes: PrintChanges): void {
  printing.options = changedOptions("setPrintOptions", changes);
}

/** The options in force with these changes, checked. */
export function changedOptions(who: string, changes: PrintChanges): PrintOptions {
  checkObject(who, "an object of options", changes);
  const { profile } = changes;
  if (profile !== undefined && !Object.hasOwn(profiles, profile))
    throw new PrintOptionError(
      `${who}: there is no profile ${String(profile)}; the profiles are ${Object.keys(profiles).join(", ")}`,
    );
  const result: Record<string, unknown> = { ...(profile === undefined ? printing.options : profiles[profile]) };
  for (const [name, value] of Object.entries(changes)) {
    if (name === "profile" || value === undefined) continue;
    if (!Object.hasOwn(rules, name)) throw refuseName(who, name);
    const rule = rules[name as keyof PrintOptions];
    if (!rule.holds(value)) throw new PrintOptionError(`${who}: ${name} must be ${rule.text}, got ${String(value)}`);
    result[name] = value;
  }
  return result as unknown as PrintOptions;
}

function refuseName(who: string, name: string): PrintOptionError {
  const guess = nearest(name.replaceAll("_", ""), optionNames);
  const remedy =
    guess === undefined ? `The options are ${optionNames.join(", ")} and profile.` : `Did you mean ${guess}?`;
  return new PrintOptionError(`${who}: there is no option ${name}. ${remedy}`);
}
