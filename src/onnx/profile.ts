/**
 * Profiles of models: the time of each node of a run, or, of compiled runs, of each program and of the nodes between programs. The time of a
 * node with graphs, such as Loop, does not include the time of their nodes, so times can be added.
 */
import { checkOptions } from "../ops/signature.ts";
import type { Step } from "./block.ts";
import { OnnxError } from "./error.ts";
import type { NodeProto } from "./proto/types.ts";
import type { Watch } from "./runner.ts";

export interface ProfileOptions {
  /** The number of runs whose times are averaged. Default: 3. */
  readonly repeat?: number | undefined;
  /** True for a profile of compiled runs, whose entries are programs and the nodes between them. Default: false, one entry for each node. */
  readonly compile?: boolean | undefined;
}

/** A node, or a program of several nodes. */
export interface ProfileEntry {
  readonly name: string;
  /** The operator of a node, with its domain unless that is ONNX itself; "program" for a program. */
  readonly operator: string;
  /** The number of nodes: 1, or those of a program. */
  readonly nodes: number;
  /** The number of times that it ran in each run: more than 1 in the body of a loop. */
  readonly count: number;
  /** Its time in one run, in milliseconds. */
  readonly ms: number;
  /** Its part of the time of all entries, from 0 to 1. */
  readonly share: number;
}

/** All nodes of one operator. */
export type OperatorTime = Omit<ProfileEntry, "name">;

export interface OnnxProfile {
  /** The time of one run, in milliseconds. */
  readonly ms: number;
  readonly runs: number;
  /** In the order in which they ran first. */
  readonly entries: readonly ProfileEntry[];
  /** The slowest first. */
  readonly operators: readonly OperatorTime[];
}

interface Row {
  readonly name: string;
  readonly operator: string;
  readonly nodes: number;
  count: number;
  ms: number;
}

/** Measures the time and memory of the nodes that a runner runs. */
export class Stopwatch {
  readonly #rows = new Map<unknown, Row>();
  /** The time of the entries inside of the one that is running. */
  #inner = 0;

  readonly watch: Watch = (steps, isProgram, run) => {
    const row = this.#rowOf(steps, isProgram);
    const outer = this.#inner;
    this.#inner = 0;
    const start = performance.now();
    try {
      return run();
    } finally {
      const ms = performance.now() - start;
      row.ms += ms - this.#inner;
      row.count++;
      this.#inner = outer + ms;
    }
  };

  #rowOf(steps: readonly Step[], isProgram: boolean): Row {
    // Segments do not overlap, so a program is identified by its first node.
    const key = isProgram ? steps[0].node : steps[0];
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const { node } = steps[0];
    const label = labelOf(node);
    const row: Row = isProgram
      ? {
          name: `${label} to ${labelOf(steps[steps.length - 1].node)}`,
          operator: "program",
          nodes: steps.length,
          count: 0,
          ms: 0,
        }
      : { name: label, operator: operatorName(node), nodes: 1, count: 0, ms: 0 };
    this.#rows.set(key, row);
    return row;
  }

  /** Returns the averages of runs that took `ms` together. */
  profile(runs: number, ms: number): OnnxProfile {
    const rows = [...this.#rows.values()];
    const total = rows.reduce((sum, row) => sum + row.ms, 0) || 1;
    const entries = rows.map((row) => ({
      ...row,
      count: row.count / runs,
      ms: row.ms / runs,
      share: row.ms / total,
    }));
    return { ms: ms / runs, runs, entries, operators: byOperator(entries) };
  }
}

const labelOf = ({ name, output }: NodeProto): string => name || output.find((each) => each !== "") || "unnamed";

function byOperator(entries: readonly ProfileEntry[]): readonly OperatorTime[] {
  const sums = new Map<string, OperatorTime>();
  for (const { operator, nodes, count, ms, share } of entries) {
    const before = sums.get(operator) ?? { operator, nodes: 0, count: 0, ms: 0, share: 0 };
    sums.set(operator, {
      operator,
      nodes: before.nodes + nodes,
      count: before.count + count,
      ms: before.ms + ms,
      share: before.share + share,
    });
  }
  return [...sums.values()].sort((a, b) => b.ms - a.ms);
}

/** "Conv", or "com.microsoft.Gelu". */
export const operatorName = ({ domain, opType }: { readonly domain: string; readonly opType: string }): string =>
  domain === "" || domain === "ai.onnx" ? opType : `${domain}.${opType}`;

/** The options of a profile with their defaults; throws for wrong ones. */
export function profileOptions(options: ProfileOptions): { readonly repeat: number; readonly compile: boolean } {
  checkOptions("profile", options, "repeat", "compile");
  const { repeat = 3, compile = false } = options;
  if (!Number.isSafeInteger(repeat) || repeat < 1)
    throw new OnnxError(`profile: repeat must be a positive integer, got ${repeat}`);
  return { repeat, compile };
}
