/**
 * Rewrites kernels of several threads to kernels with one thread per unit, for the CPU: a threads loop is split at its barriers.
 *
 * The statements between two barriers are a run, which becomes one loop over the threads. Loops and conditions with barriers in them are the same
 * for all threads (the verifier checks that), and stay around the loops over threads. Statements that do not vary between threads are
 * computed once for the unit. Values that one run binds and another uses are kept in an array with an element for each thread; index names are
 * replaced by their values instead. `thread-loops.ts` chooses the loops over threads, `lower-conditions.ts` lowers conditions.
 *
 * Guarantees: the result has no threads loop, barrier or condition, and computes the same if the threads do not race.
 */
import { substitute } from "../../expr/evaluate.ts";
import { type Expr, sym } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import { statementBindings } from "../ir/bindings.ts";
import { KernelError } from "../ir/error.ts";
import type { AllocateStatement, IfStatement, Kernel, LoopStatement, Statement } from "../ir/kernel.ts";
import { indexScalar, loadScalar, namedScalar, type Scalar } from "../ir/scalar.ts";
import { allocate, store } from "../ir/statements.ts";
import { offsetSymbol } from "../ir/symbols.ts";
import { hasBarrier, threadsLoopOf, type Variance, varianceOf } from "../ir/threads.ts";
import { statementsOf, usesOf } from "../ir/visit.ts";
import { lowerConditions } from "./lower-conditions.ts";
import { renamingRules } from "./rename.ts";
import { rewriteKernel } from "./rewrite.ts";
import { type ThreadLoops, threadLoops } from "./thread-loops.ts";

/** Returns the kernel with one thread for each unit. */
export function lowerThreads(kernel: Kernel): Kernel {
  const threads = threadsLoopOf(statementsOf(kernel));
  if (threads === undefined) return lowerConditions(kernel);
  const inlined = inlineVarying(kernel, threads);
  const body = inlined.body.map(
    (statement): Statement =>
      statement.kind === "loop" && statement.mode === "parallel"
        ? { ...statement, body: [...statement.body.slice(0, -1), ...splitThreads(inlined, statement.body)] }
        : statement,
  );
  return lowerConditions({ ...inlined, body });
}

/** Replaces index names that vary between threads by their values. */
function inlineVarying(kernel: Kernel, threads: LoopStatement): Kernel {
  const variance = varianceOf(kernel, threads);
  const values = new Map<string, Expr>();
  for (const { statement, loops } of statementsOf(kernel))
    if (statement.kind === "index" && loops.includes(threads) && variance.varies(statement))
      values.set(statement.name, substitute(statement.value, values));
  const rules = renamingRules({
    name: (name) => name,
    expr: (expr) => substitute(expr, values),
  });
  return rewriteKernel(kernel, {
    ...rules,
    statement: (statement, original) =>
      statement.kind === "index" && values.has(statement.name) ? [] : rules.statement?.(statement, original),
  });
}

/** Statements without a barrier, which every thread runs. */
interface Run {
  readonly kind: "run";
  readonly statements: Statement[];
}

/** A loop or condition with barriers, and the parts of its body. */
interface Around {
  readonly kind: "around";
  readonly statement: LoopStatement | IfStatement;
  readonly parts: readonly Part[];
}

/** A statement of the unit. */
interface Once {
  readonly kind: "once";
  readonly statement: Statement;
}

type Part = Run | Around | Once;

/** Splits a list at its barriers. What does not vary reads nothing that a run stores, so it may come before the run that it is in. */
function partsOf(list: readonly Statement[], variance: Variance): readonly Part[] {
  const parts: Part[] = [];
  let run: Run = { kind: "run", statements: [] };
  const close = (): void => {
    if (run.statements.length > 0) parts.push(run);
    run = { kind: "run", statements: [] };
  };
  for (const statement of list) {
    if (statement.kind === "barrier") close();
    else if ("body" in statement && hasBarrier(statement)) {
      close();
      parts.push({ kind: "around", statement, parts: partsOf(statement.body, variance) });
    } else if (isOnce(statement) && !variance.varies(statement)) parts.push({ kind: "once", statement });
    else run.statements.push(statement);
  }
  close();
  return parts;
}

const isOnce = ({ kind }: Statement): boolean =>
  kind === "index" || kind === "fetch" || kind === "walk" || kind === "let";

const runsOf = (parts: readonly Part[]): readonly Run[] =>
  parts.flatMap((part) => (part.kind === "run" ? [part] : part.kind === "around" ? runsOf(part.parts) : []));

function splitThreads(kernel: Kernel, list: readonly Statement[]): readonly Statement[] {
  const threads = list.at(-1) as LoopStatement;
  const parts = partsOf(threads.body, varianceOf(kernel, threads));
  return new Splitter(kernel, threads, runsOf(parts)).list(parts);
}

/** A name that one run binds and another one uses. */
interface Kept {
  readonly kind: "let" | "fetch" | "accumulator";
  readonly dtype: DType;
  /** The array with its value for each thread. */
  readonly array: string;
  readonly boundIn: Run;
}

class Splitter {
  readonly #kernel: Kernel;
  readonly #threads: LoopStatement;
  readonly #count: number;
  readonly #names: Set<string>;
  readonly #kept = new Map<string, Kept>();
  /** Memory of threads that several runs use: its length, and whether the elements of one thread are adjacent. */
  readonly #memory = new Map<string, { readonly length: number; readonly isByThread: boolean }>();
  /** The arrays of each run, allocated before it; those of memory where it was allocated. */
  readonly #allocated = new Map<Run, Statement[]>();

  constructor(kernel: Kernel, threads: LoopStatement, runs: readonly Run[]) {
    this.#kernel = kernel;
    this.#threads = threads;
    this.#count = threads.to.value as number;
    this.#names = new Set([
      ...[...kernel.buffers, ...kernel.scalars, ...kernel.sizes, ...kernel.modes].map(({ name }) => name),
      ...statementsOf(kernel).flatMap(({ statement }) => statementBindings(statement).map(([name]) => name)),
    ]);
    // Its loop goes away, so that a loop over threads may have the name.
    this.#names.delete(threads.index);
    const uses = runs.map((run) => [run, namesUsedIn(run)] as const);
    for (const run of runs)
      for (const statement of run.statements)
        for (const [name] of statementBindings(statement))
          if (uses.some(([other, names]) => other !== run && names.has(name))) this.#keep(name, statement, run);
  }

  list(parts: readonly Part[]): readonly Statement[] {
    return parts.flatMap((part): readonly Statement[] => {
      if (part.kind === "once") return [part.statement];
      if (part.kind === "around") return [{ ...part.statement, body: this.list(part.parts) }];
      return [...(this.#allocated.get(part) ?? []), ...this.#run(part)];
    });
  }

  /** Keeps the value or memory that a statement binds, for other runs. */
  #keep(name: string, statement: Statement, run: Run): void {
    const before = this.#allocated.get(run) ?? [];
    this.#allocated.set(run, before);
    if (statement.kind === "allocate") {
      this.#memory.set(name, { length: statement.length, isByThread: this.#isVectored(name) });
      before.push({ ...statement, length: statement.length * this.#count, space: "smem" } satisfies AllocateStatement);
      return;
    }
    const [kind, dtype] = keptAs(statement);
    const array = this.#fresh(`${name}_of`);
    before.push(allocate(array, dtype, this.#count, "smem"));
    this.#kept.set(name, { kind, dtype, array, boundIn: run });
  }

  /** True if a vector loop of a thread accesses the memory: then its elements are adjacent, else the threads of one element. */
  #isVectored(name: string): boolean {
    return statementsOf({ body: this.#threads.body }).some(
      ({ statement, loops }) =>
        loops.some(({ mode }) => mode === "vector") &&
        usesOf(statement).some((use) => use.as === "buffer" && use.name === name),
    );
  }

  /** The loop over the threads of a run, which first loads the values kept by other runs, and at its end stores those that others use. */
  #run(run: Run): readonly Statement[] {
    const own = run.statements.filter(
      (statement) => statement.kind !== "allocate" || !this.#memory.has(statement.name),
    );
    const used = namesUsedIn(run);
    const changed = new Set(
      statementsOf({ body: run.statements }).flatMap(({ statement }) =>
        statement.kind === "accumulate" ? [statement.into] : [],
      ),
    );
    const loops = threadLoops(this.#threads, own, (name) => this.#fresh(name));
    const names = new Map<string, string>();
    const taken: Statement[] = [];
    const left: Statement[] = [];
    for (const [name, kept] of this.#kept) {
      const isOwn = kept.boundIn === run;
      if (!isOwn && !used.has(name)) continue;
      const here = isOwn ? name : this.#fresh(name);
      if (!isOwn) {
        names.set(name, here);
        taken.push(bindingOf(kept, here, loadScalar(kept.dtype, kept.array, loops.thread)));
      }
      if (isOwn || changed.has(name)) left.push(store(kept.array, loops.thread, valueOf(kept, here)));
    }
    return loops.around([...taken, ...this.#renamed(own, names, loops), ...left]);
  }

  #renamed(
    list: readonly Statement[],
    names: ReadonlyMap<string, string>,
    { exprOf, thread }: ThreadLoops,
  ): readonly Statement[] {
    const rules = renamingRules({
      name: (name) => names.get(name) ?? name,
      expr: (expr, buffer) => {
        const symbols = [...expr.symbols.values()].flatMap(({ name, min, max, divisor }): [string, Expr][] => {
          const other = names.get(name);
          return other === undefined ? [] : [[name, sym(other, { min, max, divisibleBy: divisor })]];
        });
        const index = exprOf(substitute(expr, new Map(symbols)));
        const memory = buffer === undefined ? undefined : this.#memory.get(buffer);
        if (memory === undefined) return index;
        return memory.isByThread ? thread.mul(memory.length).add(index) : index.mul(this.#count).add(thread);
      },
    });
    return rewriteKernel({ ...this.#kernel, body: list }, rules).body;
  }

  /** A name that is not in use, like the passed one. */
  #fresh(like: string): string {
    let name = like;
    for (let k = 2; this.#names.has(name); k++) name = `${like}_${k}`;
    this.#names.add(name);
    return name;
  }
}

function namesUsedIn({ statements }: Run): ReadonlySet<string> {
  return new Set(
    statementsOf({ body: statements }).flatMap(({ statement }) => usesOf(statement).map(({ name }) => name)),
  );
}

/** The kind and the dtype of a kept value: offsets of a walk are kept like integers that are fetched. */
function keptAs(statement: Statement): readonly [Kept["kind"], DType] {
  switch (statement.kind) {
    case "let":
    case "fetch":
      return [statement.kind, statement.value.dtype];
    case "walk":
      return ["fetch", "int32"];
    case "accumulator":
      return ["accumulator", statement.initial.dtype];
    default:
      throw new KernelError(`lowerThreads: what a ${statement.kind} statement binds is not kept. Report this.`);
  }
}

const valueOf = ({ kind, dtype }: Kept, name: string): Scalar =>
  kind === "fetch" ? indexScalar(dtype, offsetSymbol(name)) : namedScalar(dtype, name);

const bindingOf = ({ kind }: Kept, name: string, value: Scalar): Statement =>
  kind === "accumulator" ? { kind, name, initial: value } : { kind, name, value };
