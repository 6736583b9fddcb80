/** The programs of a module: one for the sizes of the last call. */
import type { InstanceData } from "../graph/build-instance.ts";
import type { CompiledSource } from "../graph/source.ts";
import type { TypeText } from "./declarations.ts";
import { argumentTypes, lowerCall } from "./lower-call.ts";
import type { ModuleParts } from "./parts.ts";
import type { Numeric, PlanSymbol, PlanVariant } from "./plan.ts";

export interface Variants {
  readonly symbols: readonly PlanSymbol[];
  readonly all: readonly {
    readonly ranges: readonly (readonly [min: number, max: number])[];
    readonly variant: PlanVariant<Numeric>;
  }[];
  /** A function of sizes for each variant, as text. */
  readonly expressions: readonly string[];
  readonly typeOf: TypeText;
}

export function variantsOf(
  who: string,
  source: CompiledSource & { readonly data: InstanceData },
  parts: ModuleParts,
): Variants {
  const shapes = argumentTypes(source.data.args).map(({ shape }) => shape);
  const { variant } = lowerCall(who, source, shapes, parts);
  return {
    symbols: [],
    all: [{ ranges: [], variant }],
    expressions: ["() => []"],
    typeOf: ({ dtype, shape }) => `${dtype}[${shape.join(", ")}]`,
  };
}
