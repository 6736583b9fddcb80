/**
 * Units of several threads, interpreted: the meaning of a threads loop. One thread after the other runs a statement without a barrier in it, over
 * its own names and rmem; a loop or a condition with a barrier in it is entered by all threads together, and throws if they disagree.
 * The result does not depend on their order, unless two threads access one element between two barriers and one stores to it.
 * `checkRun` finds those accesses, and loads of allocated elements that nothing has stored to.
 */
import type { KernelBackend, KernelCall } from "../../kernel/backend.ts";
import type { IfStatement, Kernel, LoopStatement, Statement } from "../../kernel/ir/kernel.ts";
import { kernelText } from "../../kernel/ir/print.ts";
import type { LoadScalar } from "../../kernel/ir/scalar.ts";
import { hasBarrier } from "../../kernel/ir/threads.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { BufferMemory } from "../../storage/memory.ts";
import { type AccessFault, AccessRecords } from "./access-records.ts";
import { Compiler, compileKernel, type Run } from "./backend.ts";
import { type Code, type Frame, Slots, scalarCode } from "./evaluate-scalar.ts";

/** The backend that interprets kernels, those with threads too. */
export function threadsBackend(): KernelBackend {
  return {
    name: "reference",
    canAddress: () => true,
    compile: (kernel) => ({ run: compileThreads(kernel), release: () => {} }),
    shutdown: () => Promise.resolve(),
  };
}

function compileThreads(kernel: Kernel): (call: KernelCall) => void {
  const slots = new Slots(kernel.name);
  return compileKernel(kernel, slots, new ThreadCompiler(kernel, slots));
}

/** Runs a call, and returns its races and its loads of elements without a value, one for each pair of statements. */
export function checkRun(kernel: Kernel, call: KernelCall): readonly AccessFault[] {
  const { lines, lineOf } = kernelText(kernel);
  const lineText = (statement: Statement): string => {
    const line = lineOf.get(statement) as number;
    return `line ${line + 1}: ${lines[line].trim()}`;
  };
  const records = new AccessRecords(lineText);
  const slots = new WatchedSlots(kernel.name, records);
  compileKernel(kernel, slots, new ThreadCompiler(kernel, slots, records))(call);
  return records.faults;
}

/** The state of one thread; the frame of a unit has none. */
interface ThreadFrame extends Frame {
  readonly thread: number;
}

/** Runs statements for all threads of a unit. */
type Group = (frames: readonly ThreadFrame[]) => void;

class ThreadCompiler extends Compiler {
  readonly #records: AccessRecords | undefined;

  constructor(kernel: Kernel, slots: Slots, records?: AccessRecords) {
    super(kernel, slots);
    this.#records = records;
  }

  override statement(statement: Statement): Run {
    const { slots } = this;
    if (slots instanceof WatchedSlots) slots.current = statement;
    if (statement.kind === "if") {
      const [condition] = scalarCode(slots, [statement.condition]) as [Code<Value>];
      const run = this.list(statement.body);
      return (frame) => {
        if (condition(frame)) run(frame);
      };
    }
    if (statement.kind !== "allocate") return super.statement(statement);
    // Each thread, and each unit, has elements of its own.
    const { name, dtype, length } = statement;
    const { array, itemsize } = dtypes[dtype];
    const slot = slots.bindBuffer(name, dtype);
    return (frame) => {
      const memory = new BufferMemory("overflow", new ArrayBuffer(length * itemsize));
      this.#records?.allocate(memory.buffer);
      frame.arrays[slot] = memory.array(array);
      frame.starts[slot] = 0;
    };
  }

  override loop(statement: LoopStatement): Run {
    if (statement.mode !== "threads") {
      const run = super.loop(statement);
      if (statement.mode === "parallel" && this.slots instanceof WatchedSlots)
        this.slots.unit = this.slots.integer(statement.index);
      return run;
    }
    const slot = this.slots.bindInteger(statement.index);
    const count = this.slots.index(statement.to);
    const group = this.#group(statement.body);
    return (frame) => {
      const frames = Array.from({ length: count(frame) }, (_, thread): ThreadFrame => {
        const integers = [...frame.integers];
        integers[slot] = thread;
        return {
          integers,
          values: [...frame.values],
          arrays: [...frame.arrays],
          starts: [...frame.starts],
          modes: frame.modes,
          thread,
        };
      });
      group(frames);
      this.#records?.barrier();
    };
  }

  #group(list: readonly Statement[]): Group {
    const groups = list.map((statement): Group => {
      if (!hasBarrier(statement)) {
        const run = this.statement(statement);
        return (frames) => {
          for (const frame of frames) run(frame);
        };
      }
      if (statement.kind === "loop") return this.#groupLoop(statement);
      if (statement.kind === "if") return this.#groupIf(statement);
      return () => this.#records?.barrier();
    });
    return (frames) => {
      for (const group of groups) group(frames);
    };
  }

  #groupLoop(statement: LoopStatement): Group {
    const { slots } = this;
    const [from, to] = [slots.index(statement.from), slots.index(statement.to)];
    const slot = slots.bindInteger(statement.index);
    const group = this.#group(statement.body);
    return (frames) => {
      const what = `the loop over ${statement.index}`;
      const start = this.#same(frames, from, `${what} starts at`);
      const end = this.#same(frames, to, `${what} ends at`);
      for (let i = start; i < end; i++) {
        for (const frame of frames) frame.integers[slot] = i;
        group(frames);
      }
    };
  }

  #groupIf(statement: IfStatement): Group {
    const [condition] = scalarCode(this.slots, [statement.condition]) as [Code<Value>];
    const group = this.#group(statement.body);
    return (frames) => {
      if (this.#same(frames, condition, "the condition around a barrier is")) group(frames);
    };
  }

  /** The value that is the same for all threads. */
  #same<T>(frames: readonly ThreadFrame[], code: Code<T>, what: string): T {
    const values = frames.map(code);
    const other = values.findIndex((value) => value !== values[0]);
    if (other < 0) return values[0];
    throw this.slots.fault(
      `${what} ${values[0]} for thread 0, and ${values[other]} for thread ${other}, so that they do not meet at its barrier. ` +
        "Make it the same for all threads.",
    );
  }
}

/** Slots whose loads and stores are recorded. */
class WatchedSlots extends Slots {
  declare readonly records: AccessRecords;
  /** The statement that is compiled now. */
  current: Statement | undefined;
  /** The slot of the index of the parallel loop. */
  unit = -1;

  constructor(kernel: string, records: AccessRecords) {
    super(kernel);
    this.records = records;
  }

  override element(access: LoadScalar | (Statement & { kind: "store" }), dtype: DType): Code<number> {
    const code = super.element(access, dtype);
    const { slot } = this.buffer(access.buffer);
    const { records } = this;
    const what = { buffer: access.buffer, isStore: access.kind === "store", statement: this.current as Statement };
    const { itemsize } = dtypes[dtype];
    return (frame) => {
      const element = code(frame);
      const { buffer, byteOffset } = frame.arrays[slot];
      records.access(what, {
        memory: buffer,
        at: byteOffset + element * itemsize,
        bytes: itemsize,
        element: element - frame.starts[slot],
        unit: frame.integers[this.unit],
        thread: (frame as Partial<ThreadFrame>).thread ?? 0,
      });
      return element;
    };
  }
}
