/**
 * The reference backend: interprets kernels in plain TypeScript. Slow and simple: the oracle of the other backends, and the fallback
 * where a page's policy forbids WebAssembly. It reaches every memory.
 *
 * Kernels become closures that execute the IR one element at a time: statements in order, units from first to last.
 * It checks what other backends assume: that names are bound and that every access is inside its memory. A masked store
 * computes its value also where the mask is false, as they do.
 * Values are combined into an accumulator in the fixed order of a vector loop. `threads.ts` runs units of several threads.
 */
import type { KernelBackend, KernelCall } from "../../kernel/backend.ts";
import { rounder, writer } from "../../kernel/element.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import type {
  Combination,
  Kernel,
  LoopStatement,
  Statement,
  StoreStatement,
  WalkStatement,
} from "../../kernel/ir/kernel.ts";
import { identityOf } from "../../kernel/ir/statements.ts";
import { checkLowered } from "../../kernel/ir/visit.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { BufferMemory, type Memory } from "../../storage/memory.ts";
import type { Meaning } from "./complex-values.ts";
import { type Code, type Frame, Slots, scalarCode } from "./evaluate-scalar.ts";
import { meaningOf } from "./scalar-values.ts";

/** The backend that interprets kernels. */
export function referenceBackend(): KernelBackend {
  return {
    name: "reference",
    canAddress: () => true,
    compile(kernel) {
      checkLowered(kernel);
      return { run: compileKernel(kernel), release: () => {} };
    },
    shutdown: () => Promise.resolve(),
  };
}

export type Run = Code<void>;

/** The function that runs a kernel. */
export function compileKernel(
  kernel: Kernel,
  slots = new Slots(kernel.name),
  compiler = new Compiler(kernel, slots),
): (call: KernelCall) => void {
  for (const { name, dtype } of kernel.buffers) slots.bindBuffer(name, dtype);
  const scalars = kernel.scalars.map(({ name, dtype }) => ({ slot: slots.bindValue(name), convert: rounder(dtype) }));
  for (const { name } of kernel.sizes) slots.bindInteger(name);
  const run = compiler.list(kernel.body);
  return (call) => {
    const frame: Frame = { integers: call.sizes.slice(), values: [], arrays: [], starts: [], modes: call.modes };
    scalars.forEach(({ slot, convert }, i) => {
      frame.values[slot] = convert(call.scalars[i]);
    });
    kernel.buffers.forEach(({ dtype }, i) => {
      bindBuffer(frame, i, dtype, call.memories[i], call.addresses[i]);
    });
    run(frame);
  };
}

/** Binds a buffer in the frame. A complex number may start at an odd float: then its array does, too. */
function bindBuffer(frame: Frame, slot: number, dtype: DType, memory: Memory, address: number): void {
  const { array, itemsize, parts } = dtypes[dtype];
  const unit = address / (itemsize / parts);
  const window = memory.array(array);
  frame.arrays[slot] = unit % parts === 0 ? window : window.subarray(unit % parts);
  frame.starts[slot] = Math.floor(unit / parts);
}

export class Compiler {
  declare readonly kernel: Kernel;
  declare readonly slots: Slots;
  /** The dtype of each accumulator. */
  readonly accumulators = new Map<string, DType>();
  /** The accumulators that the current loop adds to. */
  added: Accumulation[] = [];

  constructor(kernel: Kernel, slots: Slots) {
    this.kernel = kernel;
    this.slots = slots;
  }

  list(statements: readonly Statement[]): Run {
    const runs = statements.map((statement) => this.statement(statement));
    return (frame) => {
      for (const run of runs) run(frame);
    };
  }

  statement(statement: Statement): Run {
    const { slots } = this;
    switch (statement.kind) {
      case "loop":
        return this.loop(statement);
      case "index": {
        const value = slots.index(statement.value);
        const slot = slots.bindInteger(statement.name);
        return (frame) => {
          frame.integers[slot] = value(frame);
        };
      }
      case "fetch": {
        const [value] = scalarCode(slots, [statement.value]) as [Code<Value>];
        const slot = slots.bindInteger(statement.name);
        return (frame) => {
          frame.integers[slot] = Number(value(frame));
        };
      }
      case "walk":
        return this.walk(statement);
      case "let":
      case "accumulator": {
        const scalar = statement.kind === "let" ? statement.value : statement.initial;
        const [value] = scalarCode(slots, [scalar]) as [Code<Value>];
        if (statement.kind === "accumulator") this.accumulators.set(statement.name, scalar.dtype);
        const slot = slots.bindValue(statement.name);
        return (frame) => {
          frame.values[slot] = value(frame);
        };
      }
      case "accumulate": {
        const dtype = this.accumulators.get(statement.into);
        if (dtype !== statement.value.dtype)
          throw slots.fault(
            `${statement.into} is ${dtype ?? "not an accumulator"}, got a value of ${statement.value.dtype}.`,
          );
        const [value] = scalarCode(slots, [statement.value]) as [Code<Value>];
        const into = accumulation(slots.value(statement.into), statement.fn, dtype);
        this.added.push(into);
        const { slot, meaning } = into;
        return (frame) => {
          frame.values[slot] = meaning(frame.values[slot], value(frame), 0);
        };
      }
      case "store":
        return this.store(statement);
      case "allocate": {
        const { array, itemsize } = dtypes[statement.dtype];
        const memory = new BufferMemory("overflow", new ArrayBuffer(statement.length * itemsize)).array(array);
        const slot = slots.bindBuffer(statement.name, statement.dtype);
        return (frame) => {
          frame.arrays[slot] = memory;
          frame.starts[slot] = 0;
        };
      }
      case "barrier":
      case "if":
        return () => {};
      default:
        return statement satisfies never;
    }
  }

  loop({ mode, index, from, to, by, body }: LoopStatement): Run {
    const { slots, added: outer } = this;
    const [first, end] = [slots.index(from), slots.index(to)];
    const slot = slots.bindInteger(index);
    const declared = new Set(this.accumulators.keys());
    this.added = [];
    const run = this.list(body);
    const outerSlots = new Set([...declared].map((name) => slots.value(name)));
    const inner = this.added.filter((each) => outerSlots.has(each.slot));
    this.added = [...outer, ...inner];
    if (mode === "vector" && inner.length > 0) {
      const merged = mergeAccumulations(inner, this.kernel.name);
      return (frame) => {
        const start = first(frame);
        runVector(frame, merged, Math.max(0, end(frame) - start), by, (each, k) => {
          each.integers[slot] = start + k;
          run(each);
        });
      };
    }
    return (frame) => {
      const last = end(frame);
      for (let i = first(frame); i < last; i++) {
        frame.integers[slot] = i;
        run(frame);
      }
    };
  }

  walk({ modes, position, offsets }: WalkStatement): Run {
    const { slots } = this;
    const list = this.kernel.modes.findIndex(({ name }) => name === modes);
    if (list < 0) throw slots.fault(`there is no mode list ${modes}. Declare it.`);
    const at = slots.index(position);
    const targets = offsets.map((name) => slots.bindInteger(name));
    const width = 1 + targets.length;
    return (frame) => {
      const rows = frame.modes[list];
      for (const target of targets) frame.integers[target] = 0;
      let rest = at(frame);
      for (let row = 0; row < rows.length; row += width) {
        const size = rows[row];
        const coord = rest % size;
        rest = Math.floor(rest / size);
        targets.forEach((target, i) => {
          frame.integers[target] += coord * rows[row + 1 + i];
        });
      }
    };
  }

  store(statement: StoreStatement): Run {
    const { slots } = this;
    const { buffer, value, mask } = statement;
    const at = slots.element(statement, value.dtype);
    const { slot } = slots.buffer(buffer);
    const write = writer(value.dtype);
    const [compute, allowed] = scalarCode(slots, mask ? [value, mask] : [value]) as [Code<Value>, Code<Value>?];
    return (frame) => {
      const result = compute(frame);
      if (allowed?.(frame) !== false) write(frame.arrays[slot], at(frame), result);
    };
  }
}

/** An accumulator that a loop adds to. */
interface Accumulation {
  readonly slot: number;
  readonly fn: Combination;
  readonly meaning: Meaning;
  readonly identity: Value;
}

function accumulation(slot: number, fn: Combination, dtype: DType): Accumulation {
  return { slot, fn, meaning: meaningOf(fn, dtype), identity: rounder(dtype)(identityOf(fn, dtype)) };
}

/**
 * Runs `count` iterations as a vector loop by `by`: partial results take the iterations in turn, are folded in halves and
 * combined with the accumulator; the remaining iterations follow.
 */
function runVector(
  frame: Frame,
  accumulations: readonly Accumulation[],
  count: number,
  by: number,
  iterate: (frame: Frame, k: number) => void,
): void {
  const full = Math.floor(count / by) * by;
  const before = accumulations.map(({ slot }) => frame.values[slot]);
  const partials = accumulations.map(({ identity }) => new Array<Value>(by).fill(identity));
  const enter = (lane: number): void =>
    accumulations.forEach(({ slot }, a) => {
      frame.values[slot] = partials[a]?.[lane];
    });
  for (let k = 0; k < full; k++) {
    enter(k % by);
    iterate(frame, k);
    accumulations.forEach(({ slot }, a) => {
      partials[a][k % by] = frame.values[slot];
    });
  }
  accumulations.forEach(({ slot, meaning }, a) => {
    const partial = partials[a];
    for (let half = by / 2; half >= 1; half /= 2)
      for (let l = 0; l < half; l++) partial[l] = meaning(partial[l], partial[l + half], 0);
    frame.values[slot] = meaning(before[a], partial[0], 0);
  });
  for (let k = full; k < count; k++) iterate(frame, k);
}

/** Requires one function per accumulator of a loop, since its partial results could not be combined otherwise. */
function mergeAccumulations(all: readonly Accumulation[], kernel: string): Accumulation[] {
  const bySlot = new Map<number, Accumulation>();
  for (const each of all) {
    const known = bySlot.get(each.slot);
    if (known !== undefined && known.fn !== each.fn)
      throw new KernelError(
        `kernel ${kernel}: a vector loop combines one accumulator by ${known.fn} and by ${each.fn}. Use two accumulators.`,
      );
    bySlot.set(each.slot, each);
  }
  return [...bySlot.values()];
}
