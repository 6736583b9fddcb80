/** Tensors by name as a tree: the parts of names between dots or slashes are branches, with the totals of all tensors below. */
import { bytesText } from "../../draw/graph/bytes-text.ts";

/** A tensor of a file, without its elements. */
export interface FileTensorInfo {
  readonly name: string;
  /** Its dtype; in a model, the name of its element type. */
  readonly dtype: string;
  readonly shape: readonly number[];
  /** The number of bytes of its elements. */
  readonly bytes: number;
  /** A remark; "" for none. */
  readonly note?: string;
  /** The reason why it cannot be read; undefined if it can. */
  readonly problem?: string;
}

interface Branch {
  readonly tensors: FileTensorInfo[];
  readonly children: Map<string, Branch>;
}

const createBranch = (): Branch => ({ tensors: [], children: new Map() });

/** The totals of tensors. */
export interface Totals {
  readonly tensors: number;
  readonly parameters: number;
  readonly bytes: number;
}

const sizeOf = ({ shape }: FileTensorInfo): number => shape.reduce((product, size) => product * size, 1);

export const totalsOf = (tensors: readonly FileTensorInfo[]): Totals => ({
  tensors: tensors.length,
  parameters: tensors.reduce((sum, each) => sum + (each.problem === undefined ? sizeOf(each) : 0), 0),
  bytes: tensors.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** "3 tensors, 1,234 parameters, 4.94 kB" */
export function totalsText(tensors: readonly FileTensorInfo[]): string {
  const { parameters, bytes } = totalsOf(tensors);
  return [countText(tensors.length, "tensor"), countText(parameters, "parameter"), bytesText(bytes)].join(", ");
}

/** "1 tensor", "1,234 tensors" */
export const countText = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

/** "float32[16, 4]  256 B" */
const typeText = ({ dtype, shape, bytes, problem, note = "" }: FileTensorInfo): string =>
  problem === undefined
    ? `${dtype}[${shape.join(", ")}]  ${bytesText(bytes)}${note === "" ? "" : `  ${note}`}`
    : `cannot be read: ${problem}`;

/** Items with lines below them as a tree. */
export const branchLines = (items: readonly (readonly [title: string, lines: readonly string[]])[]): string[] =>
  items.flatMap(([title, lines], k) => {
    const isLast = k === items.length - 1;
    return [`${isLast ? "└─ " : "├─ "}${title}`, ...lines.map((line) => `${isLast ? "   " : "│  "}${line}`)];
  });

/** The lines of a tree, whose branches are open for `depth` levels. */
export function treeLines(tensors: readonly FileTensorInfo[], depth = Infinity): string[] {
  const root = createBranch();
  for (const each of tensors) {
    let branch = root;
    // A separator is kept with the part before it, so that the parts of a path are its name.
    for (const part of each.name.match(/[^./]*[./]+|[^./]+$/g) ?? [""]) {
      let child = branch.children.get(part);
      if (child === undefined) {
        child = createBranch();
        branch.children.set(part, child);
      }
      branch.tensors.push(each);
      branch = child;
    }
    branch.tensors.push(each);
  }
  return linesOf(root, depth);
}

function linesOf({ children }: Branch, depth: number): string[] {
  const items = [...children].map(([name, branch]) => joined(name, branch));
  const isLeaf = ({ children: inner, tensors }: Branch): boolean => inner.size === 0 && tensors.length === 1;
  const width = Math.max(0, ...items.filter(([, branch]) => isLeaf(branch)).map(([name]) => name.length));
  return branchLines(
    items.map(([name, branch]) =>
      isLeaf(branch)
        ? [`${name.padEnd(width)}  ${typeText(branch.tensors[0])}`, []]
        : [`${name.replace(/[./]$/, "")}  ${totalsText(branch.tensors)}`, depth <= 1 ? [] : linesOf(branch, depth - 1)],
    ),
  );
}

/** A branch with a single child as one line. */
function joined(name: string, branch: Branch): readonly [name: string, branch: Branch] {
  if (branch.children.size !== 1) return [name, branch];
  const [[next, child]] = branch.children;
  // A name that is a tensor and a prefix of others stays a branch.
  return child.tensors.length === branch.tensors.length ? joined(name + next, child) : [name, branch];
}

/** Rows of two columns, the second on one line and shortened. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${shortText(text)}`);
}

const maxText = 100;

/** A text on one line, shortened. */
function shortText(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > maxText ? `${line.slice(0, maxText)}… (${text.length} characters)` : line;
}
