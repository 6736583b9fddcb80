/** Profiles of models as tables and as a chart. */
import { barChart } from "../../draw/index.ts";
import type { OnnxProfile, OperatorTime, ProfileEntry } from "../../onnx/index.ts";
import { type Row, tableLines, timeText } from "../table.ts";

export interface Profiles {
  /** Runs node by node. */
  readonly nodes: OnnxProfile;
  /** Runs of the compiled model; null if it is not compiled. */
  readonly compiled: OnnxProfile | null;
}

/** The number of nodes that a table lists. */
const maxRows = 50;
/** The number of bars of each part of a chart. */
const maxBars = 20;

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
const msText = (ms: number): string => ms.toFixed(3);
const countText = (count: number): string => String(Number(count.toFixed(1)));

const slowest = (entries: readonly ProfileEntry[]): readonly ProfileEntry[] => [...entries].sort((a, b) => b.ms - a.ms);

/** The tables: nodes and operators of runs node by node, and the programs of compiled runs. */
export function profileLines({ nodes, compiled }: Profiles): string[] {
  const runs = ({ runs }: OnnxProfile): string => (runs === 1 ? "one run" : `average of ${runs} runs`);
  return [
    "",
    `node by node: ${timeText(nodes.ms)} (${runs(nodes)})`,
    ...entryLines("node", nodes.entries),
    "",
    ...tableLines(
      ["operator", "nodes", "count", "ms", "share"],
      nodes.operators.map(
        (each): Row => [each.operator, String(each.nodes), countText(each.count), msText(each.ms), percent(each.share)],
      ),
    ),
    ...(compiled === null
      ? []
      : [
          "",
          `compiled: ${timeText(compiled.ms)} (${runs(compiled)})`,
          ...entryLines("program or node", compiled.entries),
        ]),
  ];
}

function entryLines(title: string, entries: readonly ProfileEntry[]): string[] {
  const sorted = slowest(entries);
  const listed = sorted.slice(0, maxRows);
  const others = sorted.slice(maxRows);
  const ms = others.reduce((sum, each) => sum + each.ms, 0);
  return [
    ...tableLines(
      [title, "operator", "count", "ms", "share"],
      listed.map(
        (each): Row => [
          each.name,
          each.operator === "program" ? `${each.nodes} nodes` : each.operator,
          countText(each.count),
          msText(each.ms),
          percent(each.share),
        ],
      ),
    ),
    ...(others.length === 0 ? [] : [`and ${others.length} more in ${timeText(ms)}; --json lists all`]),
  ];
}

/** Bars for the operators, and for the slowest nodes. */
export function profileChart({ nodes, compiled }: Profiles, title: string): string {
  const bar = (label: string, { ms, share }: OperatorTime) => ({
    label,
    value: ms,
    note: `${timeText(ms)}, ${percent(share)}`,
  });
  const compiledText = compiled === null ? "" : `; compiled ${timeText(compiled.ms)}`;
  return barChart({
    title: `${title}: node by node ${timeText(nodes.ms)}${compiledText}`,
    groups: [
      {
        title: "operators",
        bars: nodes.operators.slice(0, maxBars).map((each) => bar(`${each.operator} (${each.nodes})`, each)),
      },
      {
        title: "slowest nodes",
        bars: slowest(nodes.entries)
          .slice(0, maxBars)
          .map((each) => bar(`${each.name} (${each.operator})`, each)),
      },
    ],
  });
}
