/** The rules of all ops, by the names that the ops have in texts of graphs. Formulas and views need none. */
import type { Rule } from "../rule-call.ts";
import { controls } from "./control.ts";
import { indexings } from "./indexing.ts";
import { movements } from "./movement.ts";
import { normalizations } from "./normalize.ts";
import { orders } from "./order.ts";
import { products } from "./products.ts";
import { reductions } from "./reduce.ts";

export const rules: Readonly<Record<string, Rule>> = {
  ...controls,
  ...indexings,
  ...movements,
  ...normalizations,
  ...orders,
  ...products,
  ...reductions,
};
