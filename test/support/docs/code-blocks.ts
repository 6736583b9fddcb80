/**
 * The fenced code blocks of a Markdown text, with the words after the fence and the line number of the code. Fences may
 * be indented (in lists) and may be longer than three marks, to contain other fences.
 */
export interface CodeBlock {
  readonly language: string;
  /** The words after the language: `no-run`, `continued`. */
  readonly flags: readonly string[];
  readonly code: string;
  /** The line number of the code's first line in the document, counted from 1. */
  readonly line: number;
}

/** Returns the blocks in order. An unclosed fence is an error, because it would hide the rest of the document. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const lines = markdown.split(/\r?\n/);
  const blocks: CodeBlock[] = [];
  for (let at = 0; at < lines.length; at++) {
    const opening = /^(\s*)(`{3,}|~{3,})\s*([^`]*)$/.exec(lines[at] ?? "");
    if (!opening) continue;
    const [, indent = "", fence = "", words = ""] = opening;
    const isClosing = (line: string): boolean => {
      const marks = line.trim();
      return marks.length >= fence.length && marks === fence.charAt(0).repeat(marks.length);
    };
    const end = lines.findIndex((line, index) => index > at && isClosing(line));
    if (end === -1) throw new Error(`line ${at + 1}: the code fence is never closed`);
    const [language = "", ...flags] = words.trim().split(/\s+/);
    const code = lines
      .slice(at + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()));
    blocks.push({ language, flags, code: code.join("\n"), line: at + 2 });
    at = end;
  }
  return blocks;
}
