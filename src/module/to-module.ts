/**
 * toModule: a compiled function as files that run without this library. One .wasm file has the kernels, the plan and all data; one .js file loads
 * it; its .d.ts file declares the typed arrays.
 */
import { type LinkedData, linkedBytes, linkKernels } from "../backends/wasm/link-kernels.ts";
import { configuration } from "../backends/wasm/settings.ts";
import { wrongKind } from "../base/arguments.ts";
import { sourceOf } from "../graph/compile/source.ts";
import { GraphError } from "../graph/ir.ts";
import { checkOptions } from "../ops/signature.ts";
import { flatStrides, sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { declarationsText } from "./declarations.ts";
import { moduleText } from "./driver.ts";
import { ModuleParts } from "./parts.ts";
import type { ModulePlan } from "./plan.ts";
import { type Variants, variantsOf } from "./variants.ts";

export interface ModuleOptions {
  /** The kind of module. Default: "esm", an ES module for Node 20 and later and for browsers. */
  readonly target?: "esm" | undefined;
  /** The name of the files. Default: the name of the function, or "main". */
  readonly name?: string | undefined;
  /** Names for tensors that the function captures, such as `model.stateDict()`. Others are named by their labels or numbers. */
  readonly state?: Readonly<Record<string, Tensor>> | ReadonlyMap<string, Tensor> | undefined;
  /** Sizes of dimensions that are not arguments of the module. Default: all dimensions are. */
  readonly sizes?: Readonly<Record<string, number>> | undefined;
}

/** A compiled function as files. */
export interface StandaloneModule {
  readonly name: string;
  /** The files by their names: `name.wasm`, `name.js` and `name.d.ts`. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

/**
 * Returns files that compute the same as the last compiled call of a function, over typed arrays and without this library. Captured tensors are
 * part of the .wasm file, with the elements that they have now. Dimensions by `dim` are arguments of the module; all other sizes are those of
 * the call. Throws for ops without kernels, such as decompositions and random numbers.
 */
export function toModule(compiled: (...args: never[]) => unknown, options: ModuleOptions = {}): StandaloneModule {
  const who = "toModule";
  checkOptions(who, options, "target", "name", "state", "sizes");
  const source = sourceOf(who, compiled);
  const { target = "esm", name = nameOf(source.fn) } = options;
  if (target !== "esm") throw wrongKind(who, 'the target "esm"', target);
  if (typeof name !== "string" || !/^[\w.-]+$/.test(name))
    throw new GraphError(`${who}: the name of a module must be letters, digits, "-", "_" and ".", got ${String(name)}`);
  const parts = new ModuleParts(namedTensors(who, options.state));
  const variants = variantsOf(who, source, parts, options.sizes ?? {});
  const linked = linkKernels(
    name,
    parts.kernels.map(({ kernel }) => kernel),
    { relaxedSimd: configuration().relaxedSimd, shared: false },
  );
  const data: LinkedData[] = [];
  const addresses: Record<string, number> = {};
  const scratch = 64;
  let end = align(scratch + linked.scratchBytes);
  for (const { name: part, bytes } of parts.data) {
    addresses[part] = end;
    data.push({ at: end, bytes });
    end = align(end + bytes.length);
  }
  const plan: ModulePlan = {
    name,
    symbols: variants.symbols,
    variants: variants.all.map(({ ranges, variant }) => ({ ...variant, ranges })),
    table: variants.table,
    data: addresses,
    state: Object.fromEntries(
      [...parts.captured].map(([key, { tensor: t, data }]) => [
        key,
        { data, dtype: t.dtype, shape: sizesOf(t), strides: flatStrides(t), start: t.start },
      ]),
    ),
    numbers: Object.fromEntries(parts.numbers),
    scratch,
    end,
  };
  const section = { name: "plan", bytes: new TextEncoder().encode(JSON.stringify(plan)) };
  const files = {
    [`${name}.wasm`]: linkedBytes(linked, data, section),
    [`${name}.js`]: moduleText(name, aboutOf(name, variants), variants.all.map(expressionsText)),
    [`${name}.d.ts`]: declarationsText(plan, variants),
  };
  return { name, files };
}

/** The formulas of a variant as a function. */
const expressionsText = ({ expressions }: Variants["all"][number]): string =>
  expressions.length === 0 ? "() => []" : `(s) => [\n${expressions.map((each) => `    ${each},\n`).join("")}  ]`;

const align = (at: number): number => Math.ceil(at / 64) * 64;

const nameOf = ({ name }: { readonly name: string }): string => (/^[\w.-]+$/.test(name) ? name : "main");

function namedTensors(who: string, state: ModuleOptions["state"]): (readonly [string, Tensor])[] {
  if (state === undefined) return [];
  const entries = state instanceof Map ? [...state] : Object.entries(state);
  for (const [, t] of entries) if (!(t instanceof Tensor)) throw wrongKind(who, "tensors by name as state", t);
  return entries;
}

const aboutOf = (name: string, { inputs, outputs }: Variants): string[] => [
  `${name}(${inputs.join(", ")}) -> ${outputs.join(", ")}`,
  "Written by Stridewise; its kernels, plan and data are in the .wasm file.",
];
