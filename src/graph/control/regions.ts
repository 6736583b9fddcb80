/**
 * Control flow in traces: a call of `cond`, `whileLoop` or `scan` is one node, whose regions are traced from the functions. Tensors that the functions
 * use from outside are captured: they are arguments of the node. The call is dispatched as an op, so that autograd records it.
 */
import { isForward } from "../../autograd/forward-level.ts";
import { once } from "../../base/lazy.ts";
import { isDense } from "../../tensor/contiguity.ts";
import { keySet } from "../../tensor/dispatch/keys.ts";
import { keysOf } from "../../tensor/dispatch/operator.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { type Graph, GraphError, Regions, type TensorType, type Value } from "../ir.ts";
import type { Trace } from "../trace/trace.ts";
import { typeOf } from "../trace/traced.ts";
import { checkSameState, type Leaf, leavesOf, withLeaves } from "./containers.ts";
import { type ControlTracer, checkBranches, checkPredicate, checkStep, predicateOf, selected } from "./control.ts";
import { condGradient, scanGradient, whileGradient } from "./region-gradients.ts";
import { callScan, condOp, scanOp, whileOp } from "./region-ops.ts";

const installGradients = /* @__PURE__ */ once(() => {
  condOp.gradient = condGradient;
  whileOp.gradient = whileGradient;
  scanOp.gradient = scanGradient;
  return "installed";
});

/** True if autograd's transformations must see the ops inside of a region: the tensors represent samples, or have tangents. */
const isTransformed = (leaves: readonly Leaf[]): boolean =>
  isForward() || leaves.some(({ tensor }) => (keysOf(tensor) & keySet("batched")) !== 0);

/** The type of a tensor in new memory: strides with gaps or repeated elements become row-major. */
function ownType(t: Tensor): TensorType {
  return isDense(sizesOf(t), flatStrides(t)) ? typeOf(t) : rowMajorType(t);
}

const rowMajorType = (t: Tensor): TensorType => ({ dtype: t.dtype, shape: sizesOf(t), strides: null });

const tensorsOf = (leaves: readonly Leaf[]): Tensor[] => leaves.map(({ tensor }) => tensor);

/** Gives all regions the same inputs for captured tensors, after their first `own` inputs. Returns the captured tensors. */
function alignCaptures(regions: readonly Trace[], own: number): Tensor[] {
  const captured = [...new Set(regions.flatMap(({ captures }) => [...captures.keys()]))];
  for (const { graph, captures } of regions) {
    const inputs = graph.inputs.slice(0, own);
    for (const t of captured) {
      const value = captures.get(t) ?? graph.addInput(typeOf(t));
      inputs.push({ value, kind: "argument", name: null, tensor: null });
    }
    graph.inputs = inputs;
  }
  return captured;
}

const graphsOf = (regions: readonly Trace[]): Graph[] => regions.map(({ graph }) => graph);

const valuesOf = (region: Trace, leaves: readonly Leaf[]): Value[] =>
  leaves.map(({ tensor }) => region.valueOf(tensor));

/** The tracer of control flow in a trace. */
export function controlTracerOf(trace: Trace): ControlTracer {
  installGradients();
  return {
    cond(predicate, thenFn, elseFn) {
      if (isForward()) return { result: selected(predicate, thenFn, elseFn) };
      const test = predicateOf(predicate);
      const branch = (name: string, fn: () => unknown) =>
        trace.region(name, (region) => {
          const result = fn();
          const leaves = leavesOf("cond", "result", result);
          if (!isTransformed(leaves)) region.graph.outputs = valuesOf(region, leaves);
          return { region, result, leaves };
        });
      const [one, other] = [branch("then", thenFn), branch("else", elseFn)];
      if (isTransformed([...one.leaves, ...other.leaves])) return { result: selected(predicate, thenFn, elseFn) };
      checkBranches(one.result, other.result);
      const regions = [one.region, other.region];
      const captured = alignCaptures(regions, 0);
      const types = one.leaves.map(({ tensor }, k) => {
        const [a, b] = [ownType(tensor), ownType(other.leaves[k].tensor)];
        return `${a.strides}` === `${b.strides}` ? a : rowMajorType(tensor);
      });
      const results = condOp.call([new Regions(graphsOf(regions), types), test, captured]);
      return { result: withLeaves(one.result, results as Tensor[]) };
    },

    whileLoop(condFn, bodyFn, state) {
      const initial = leavesOf("whileLoop", "state", state);
      if (isTransformed(initial))
        throw new GraphError(
          "whileLoop: cannot be compiled inside vmap or jvp, where samples and tangents would need different numbers of iterations. Use scan, or call the function without compile",
        );
      const types = initial.map(({ tensor }) => ownType(tensor));
      const test = trace.region("condition", (region) => {
        const condition = condFn(withLeaves(state, region.addState(types)));
        if (typeof condition === "boolean")
          throw new GraphError(
            "whileLoop: condFn returned a boolean, which a compiled function cannot compute again in each iteration. Compute a tensor from the state: state.lt(10)",
          );
        checkPredicate("whileLoop", "the result of condFn", condition);
        region.graph.outputs = [region.valueOf(predicateOf(condition))];
        return region;
      });
      const body = trace.region("body", (region) => {
        const next = bodyFn(withLeaves(state, region.addState(types)));
        checkSameState("whileLoop", "state", state, next);
        region.graph.outputs = valuesOf(region, leavesOf("whileLoop", "state", next));
        return region;
      });
      const regions = [test, body];
      const captured = alignCaptures(regions, types.length);
      const results = whileOp.call([new Regions(graphsOf(regions), types), tensorsOf(initial), captured]);
      return withLeaves(state, results as Tensor[]);
    },

    scan(fn, carry, xs, reverse) {
      const [initial, inputs] = [leavesOf("scan", "carry", carry), leavesOf("scan", "xs", xs)];
      // The number of iterations is known, so they can be traced one by one.
      if (isTransformed([...initial, ...inputs])) return null;
      const types = initial.map(({ tensor }) => rowMajorType(tensor));
      const rowTypes = inputs.map(({ tensor }) => ({ ...rowMajorType(tensor), shape: sizesOf(tensor).slice(1) }));
      const { region, y, outputs, isBatched } = trace.region("step", (region) => {
        const state = region.addState(types);
        const result = checkStep(fn(withLeaves(carry, state), withLeaves(xs, region.addState(rowTypes))));
        checkSameState("scan", "carry", carry, result[0]);
        const [next, outputs] = [leavesOf("scan", "carry", result[0]), leavesOf("scan", "y", result[1])];
        const isBatched = isTransformed([...next, ...outputs]);
        if (!isBatched) region.graph.outputs = valuesOf(region, [...next, ...outputs]);
        return { region, y: result[1], outputs: tensorsOf(outputs), isBatched };
      });
      if (isBatched) return null;
      const captured = alignCaptures([region], types.length + rowTypes.length);
      const results = callScan(region.graph, tensorsOf(initial), tensorsOf(inputs), captured, reverse);
      const last = types.length;
      return { result: [withLeaves(carry, results), withLeaves(y, results.slice(last, last + outputs.length))] };
    },
  };
}
