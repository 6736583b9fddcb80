/**
 * The programs of calls as text: `printProgram(() => x.matmul(w).relu())`. Each op is planned, which runs nothing, and its program is
 * printed; then it runs, so that the next op has its operands.
 */
import { checkFunction } from "../base/arguments.ts";
import { formatProgram } from "../kernel/program/print-program.ts";
import { withMode } from "../tensor/dispatch/modes.ts";
import type { Arguments, Operator } from "../tensor/dispatch/operator.ts";
import { showShape } from "../tensor/geometry.ts";
import { lowerCall } from "../tensor/program-cache.ts";
import { scope } from "../tensor/scope.ts";
import { Tensor } from "../tensor/tensor.ts";
import { tensorsIn } from "./out.ts";

/**
 * Returns the programs of all ops that `fn` calls, as text: the slots with their tensors, and the kernels that are launched over them.
 * Composite ops appear as the ops that they call. Views have no program.
 */
export function printProgram(fn: () => unknown): string {
  checkFunction("printProgram", fn);
  const blocks: string[] = [];
  withMode(
    {
      call(op, args, next) {
        const text = formatCall(op, args);
        const result = next();
        blocks.push(text ?? `${op.name}: ${isView(result, args) ? "a view" : "not planned"}`);
        return result;
      },
    },
    fn,
  );
  return blocks.join("\n\n");
}

/** Formats the program of a call; null if it cannot be planned. */
function formatCall({ plan, name }: Operator, args: Arguments): string | null {
  const operands = tensorsIn(args);
  if (plan === null || operands.some((t) => t.device.type !== "cpu")) return null;
  return scope(() => {
    const call = plan(args);
    if (call === null) return null;
    const { builder, tensors } = lowerCall(call, operands);
    const slots = tensors.map((t, k) => `%${k + 1} ${k < call.results.length ? "result" : "operand"} ${describe(t)}`);
    return [`${name}:`, ...slots, ...formatProgram(builder.finish())].join("\n  ");
  });
}

/** True if a result shares the storage of an argument. */
const isView = (result: unknown, args: Arguments): boolean =>
  result instanceof Tensor && tensorsIn(args).some(({ source }) => source === result.source);

const describe = (t: Tensor): string =>
  `${t.dtype}${showShape(t)}, ${(t.size * t.itemsize).toLocaleString("en-US")} bytes`;
