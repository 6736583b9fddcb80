/**
 * A program as text: a line for each slot, then a line for each step. `%1` is slot 1, `%0` the workspace, `%2 + 64` a byte of slot 2.
 */
import { product } from "../../base/ints.ts";
import type { Value } from "../../storage/dtype.ts";
import type { KernelEntry } from "./kernels.ts";
import type { Launch, Program, Step } from "./program.ts";

/** Formats the steps of a program. */
export function formatProgram({ steps, workspace }: Program): string[] {
  const lines = steps.flatMap(formatStep);
  return workspace === 0 ? lines : [`%0 workspace of ${bytes(workspace)}`, ...lines];
}

const indented = (steps: readonly Step[]): string[] => steps.flatMap(formatStep).map((line) => `  ${line}`);

function formatStep(step: Step): string[] {
  switch (step.kind) {
    case "launch":
      return [formatLaunch(step)];
    case "copy": {
      const { from, to, run, counts, itemsize } = step;
      const size = bytes(run * product(counts) * itemsize);
      return [`copy ${size}: ${address(to.slot, to.shift)} = ${address(from.slot, from.shift)}`];
    }
    case "pieces": {
      const { rounds, moving, steps } = step;
      const slots = moving.map(
        ({ slot, base, shift, advance }) => `%${slot} = ${address(base, shift)} + ${advance} * round`,
      );
      return [`repeat ${rounds} times: ${slots.join(", ")}`, ...indented(steps)];
    }
    case "choice":
      return [`if ${step.name}:`, ...indented(step.steps), "otherwise:", ...indented(step.otherwise)];
    case "loop":
      return ["loop:", ...indented(step.testSteps), `  stop unless ${step.name}`, ...indented(step.steps)];
    case "host":
      return [`host ${step.name}`];
    default:
      return step satisfies never;
  }
}

function formatLaunch({ kernel, slots, shifts, sizes, scalars, modes, units }: Launch): string {
  const buffers = slots.map((slot, k) => address(slot, shifts[k]));
  const rows = modes.filter((list) => list.length > 0).map((list) => `, modes [${list.join(", ")}]`);
  return `${formatCall(kernel, buffers, sizes, scalars)} in ${units} ${units === 1 ? "unit" : "units"}${rows.join("")}`;
}

/** Formats a kernel with its arguments, by the names that the kernel has for them; scalars of null are bound when the program runs. */
function formatCall(
  entry: KernelEntry,
  buffers: readonly string[],
  sizes: readonly (number | string)[],
  scalars: readonly Value[] | null,
): string {
  const { name, ...kernel } = entry.make();
  const named = (names: readonly { readonly name: string }[], values: readonly unknown[]): string =>
    names.map((parameter, k) => `${parameter.name} = ${values[k] ?? "bound"}`).join(", ");
  const lists = [named(kernel.buffers, buffers), named(kernel.sizes, sizes), named(kernel.scalars, scalars ?? [])];
  return `${name}(${lists.filter((list) => list !== "").join("; ")})`;
}

const address = (slot: number, shift = 0): string => (shift === 0 ? `%${slot}` : `%${slot} + ${shift}`);

const bytes = (count: number): string => `${count.toLocaleString("en-US")} bytes`;
