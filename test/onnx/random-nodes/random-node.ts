/** A random node of any operator, for mutations. */
import type { Random } from "../../support/files.ts";
import { bytesOf } from "./case-model.ts";
import { Draw } from "./draw.ts";
import { operatorCases } from "./index.ts";

const operators = Object.keys(operatorCases);

/** The name of an operator, and a model with one node of it, whose inputs are weights. */
export function randomNode(random: Random): readonly [name: string, bytes: Uint8Array] {
  const name = operators[random(operators.length)];
  const each = operatorCases[name](new Draw(random(2 ** 30)));
  return [name, bytesOf(name, each, new Set(each.inputs.keys()))];
}
