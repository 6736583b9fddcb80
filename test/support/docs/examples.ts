/**
 * The examples of a document: TypeScript programs composed of `ts` blocks, and `npx stridewise` commands with the
 * output that the document shows for them. A program's code has the same line numbers as in the document.
 */
import { type CodeBlock, codeBlocks } from "./code-blocks.ts";

export interface Program {
  readonly document: string;
  readonly line: number;
  /** All blocks, for the compiler. */
  readonly checkedCode: string;
  /** The blocks that are not fenced `no-run`; empty if there are none. */
  readonly runCode: string;
}

export interface Command {
  readonly document: string;
  readonly line: number;
  readonly script: string;
  readonly output: string;
}

const programFlags: readonly string[] = ["no-run", "continued"];

/** Each `ts` block is a separate program, except that a block fenced `continued` continues the block before it. */
export function programsOf(document: string, markdown: string): readonly Program[] {
  const groups: CodeBlock[][] = [];
  for (const block of codeBlocks(markdown).filter(({ language }) => language === "ts")) {
    const unknown = block.flags.find((flag) => !programFlags.includes(flag));
    if (unknown)
      throw new Error(`${document}:${block.line - 1}: a ts block may be ${programFlags.join(", ")}; not ${unknown}`);
    const last = groups.at(-1);
    if (!block.flags.includes("continued")) groups.push([block]);
    else if (last) last.push(block);
    else throw new Error(`${document}:${block.line - 1}: the first ts block continues nothing`);
  }
  return groups.map((blocks) => ({
    document,
    line: blocks[0]?.line ?? 1,
    checkedCode: onTheirLines(blocks),
    runCode: onTheirLines(blocks.filter((block) => !block.flags.includes("no-run"))),
  }));
}

/** An `sh` block whose commands all start with `npx stridewise`, followed by a `text` block: the output. */
export function commandsOf(document: string, markdown: string): readonly Command[] {
  const blocks = codeBlocks(markdown);
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    if (block.language !== "sh" || block.flags.includes("no-run") || next?.language !== "text") return [];
    const commands = block.code
      .replaceAll("\\\n", " ")
      .split("\n")
      .filter((line) => !/^\s*(#|$)/.test(line));
    if (commands.length === 0 || !commands.every((line) => /^npx stridewise(\s|$)/.test(line))) return [];
    return [{ document, line: block.line, script: commands.join("\n"), output: next.code }];
  });
}

function onTheirLines(blocks: readonly CodeBlock[]): string {
  const lines: string[] = [];
  for (const { line, code } of blocks) {
    while (lines.length < line - 1) lines.push("");
    lines.push(...code.split("\n"));
  }
  return lines.join("\n");
}
