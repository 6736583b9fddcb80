/**
 * The numbers in a plan: their list, the plan without them, and the plan with formulas in place of those that depend on sizes. Two plans with the
 * same text without numbers are the same program at other sizes.
 */
import type { Numeric, PlanVariant } from "./plan.ts";
import type { Formula } from "./polynomials.ts";

/** A plan as text without numbers. */
export const skeletonOf = (variant: PlanVariant<number>): string =>
  JSON.stringify(variant, (_key, value) => (typeof value === "number" ? 0 : value));

/** All numbers of a plan, in a fixed order. */
export function numbersIn(value: unknown, into: number[] = []): number[] {
  if (typeof value === "number") into.push(value);
  else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) numbersIn(each, into);
  return into;
}

/** The names of the fields that lead to number `index` of a plan. */
export function pathOf(variant: PlanVariant<number>, index: number): string[] {
  let next = 0;
  const search = (value: unknown, path: readonly string[]): string[] | null => {
    if (typeof value === "number") return next++ === index ? [...path] : null;
    if (typeof value !== "object" || value === null) return null;
    for (const [key, each] of Object.entries(value)) {
      const result = search(each, [...path, key]);
      if (result !== null) return result;
    }
    return null;
  };
  return search(variant, []) ?? [];
}

/** Returns a plan in which number k is formula k. Formulas that are not constant are references to `expressions`, which grows. */
export function withFormulas(
  variant: PlanVariant<number>,
  formulas: readonly Formula[],
  expressions: string[],
): PlanVariant<Numeric> {
  let next = 0;
  const replaced = (value: unknown): unknown => {
    if (typeof value === "number") {
      const { text } = formulas[next++];
      if (!Number.isNaN(Number(text))) return value;
      const known = expressions.indexOf(text);
      return [known >= 0 ? known : expressions.push(text) - 1];
    }
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each)]));
  };
  return replaced(variant) as PlanVariant<Numeric>;
}
