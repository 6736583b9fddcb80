/**
 * The fenced code blocks of a Markdown text, with the words behind the fence and the line where the code begins.
 * Fences may be indented (in lists) and may be longer than three marks, to hold other fences.
 */
export interface CodeBlock {
  readonly language: string;
  /** The words after the language: `no-run`, `continued`. */
  readonly flags: readonly string[];
  readonly code: string;
  /** The line of the document, counted from 1, that the code's first line stands on. */
  readonly line: number;
}

/** The blocks in order; a fence that is never closed is an error, since half a document would vanish into it. */
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
