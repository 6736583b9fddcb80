/**
 * The depth of scalar values: the innermost open loop in which a value changes. What is computed where follows from it; see
 * `emission.ts`. A load has at least the depth of the loop around the present one, and of every loop that writes to its buffer.
 */
import type { Scalar } from "../../../kernel/ir/scalar.ts";
import { operandsOf } from "../../../kernel/ir/visit.ts";
import { expanded } from "./accesses.ts";
import { type Emission, innermost } from "./emission.ts";
import { depthOfIndex } from "./emit-index.ts";

/** The depth of a value that the innermost loop asks for. */
export function depthOfValue(e: Emission, value: Scalar): number {
  if (value.kind === "constant" || value.kind === "parameter") return 0;
  const { depths } = innermost(e);
  let depth = depths.get(value);
  if (depth === undefined) {
    depth = ownDepth(e, value);
    for (const operand of operandsOf(value)) depth = Math.max(depth, depthOfValue(e, operand));
    depths.set(value, depth);
  }
  return depth;
}

function ownDepth(e: Emission, value: Scalar): number {
  switch (value.kind) {
    case "index":
      return depthOfIndex(e, expanded(e, value.value));
    case "load": {
      const depth = Math.max(depthOfIndex(e, expanded(e, value.index)), innermost(e).depth - 1);
      return Math.max(depth, changingDepth(e, value.buffer));
    }
    case "named": {
      const name = e.named.get(value.name);
      return name === undefined ? 0 : Math.max(name.depth, name.changes ? changingDepth(e, value.name) : 0);
    }
    default:
      return 0;
  }
}

/** The innermost open loop in which a buffer is stored to, or an accumulator added to. */
function changingDepth({ scopes }: Emission, name: string): number {
  for (let depth = scopes.length - 1; depth > 0; depth--) if (scopes[depth]?.changed.has(name)) return depth;
  return 0;
}
