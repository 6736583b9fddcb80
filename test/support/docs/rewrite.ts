/**
 * Turns the comments of an example, `// -> text` and `// throws text`, into calls that check them. Nothing else
 * changes, and no line moves, so that line numbers in failures are those of the document.
 */
import { type ESTree, parseSync, Visitor } from "vite";
import type { Expectation } from "./expectation.ts";

export interface RewrittenExample {
  readonly code: string;
  readonly expectations: readonly Expectation[];
}

type Comment = ReturnType<typeof parseSync>["comments"][number];
type Statement = ESTree.ExpressionStatement | ESTree.VariableDeclaration;
type Edit = { readonly start: number; readonly end: number; readonly text: string };

/** `document` names the example in complaints; `code` must have the same line numbers as in the document. */
export function rewriteExample(document: string, code: string, checksFrom: string): RewrittenExample {
  const { program, comments, errors } = parseSync(`${document}.ts`, code);
  if (errors.length > 0) throw new Error(`${document}: ${errors[0]?.codeframe ?? errors[0]?.message}`);
  const statements: Statement[] = [];
  new Visitor({
    ExpressionStatement: (node) => void statements.push(node),
    VariableDeclaration: (node) => void statements.push(node),
  }).visit(program);

  const edits: Edit[] = [];
  const expectations: Expectation[] = [];
  for (const [index, comment] of comments.entries()) {
    const promise = /^ (->|throws)(?: (.*))?$/.exec(comment.type === "Line" ? comment.value.trimEnd() : "");
    if (!promise) continue;
    const line = `${document}:${lineAt(code, comment.start)}`;
    const expectation = { line, text: promisedText(promise[2] ?? "", continuation(code, comments, index)) };
    const statement = statements.find((candidate) => standsBefore(code, candidate, comment));
    if (!statement)
      throw new Error(`${line}: \`//${comment.value}\` follows no expression, declaration or console.log call`);
    if (promise[1] === "throws" && !(program.body as readonly ESTree.Node[]).includes(statement))
      throw new Error(`${line}: \`// throws\` works at the top level of an example only`);
    edits.push(
      ...(promise[1] === "throws" ? throwingEdits(statement, expectation) : showingEdits(statement, expectation)),
    );
    expectations.push(expectation);
  }
  const heading = `import * as __checks from ${JSON.stringify(checksFrom)};`;
  return { code: heading + applyEdits(code, edits), expectations };
}

const lineAt = (code: string, offset: number): number => code.slice(0, offset).split("\n").length;

/** At the end of the statement's last line, or alone on the line below. */
function standsBefore(code: string, statement: Statement, comment: Comment): boolean {
  return statement.end <= comment.start && /^;?[ \t]*\n?[ \t]*$/.test(code.slice(statement.end, comment.start));
}

/** The comments directly below that are indented to the text, `//    more`; a bare `//` is an empty line. */
function continuation(code: string, comments: readonly Comment[], index: number): readonly string[] {
  const lines: string[] = [];
  for (let at = index + 1; at < comments.length; at++) {
    const [above, below] = [comments[at - 1], comments[at]];
    if (!above || !below || !/^\n[ \t]*$/.test(code.slice(above.end, below.start))) break;
    const more = /^(?: {4}(.*)|\s*)$/.exec(below.value);
    if (!more) break;
    lines.push(more[1] ?? "");
  }
  return lines;
}

/** Text may begin on the comment's own line, or with the line below. */
const promisedText = (first: string, more: readonly string[]): string =>
  (first === "" ? more : [first, ...more]).join("\n");

function showingEdits(statement: Statement, expectation: Expectation): readonly Edit[] {
  const argument = JSON.stringify(expectation);
  if (statement.type === "ExpressionStatement") {
    const { expression } = statement;
    return isConsoleLog(expression)
      ? [{ start: expression.callee.start, end: expression.callee.end, text: `__checks.prints(${argument})` }]
      : wrapped(expression, `__checks.shows(${argument})(`, ")");
  }
  const [declarator] = statement.declarations;
  if (statement.declarations.length !== 1 || !declarator?.init)
    throw new Error(`${expectation.line}: a declaration with a promise declares one name, with a value`);
  return wrapped(declarator.init, `__checks.shows(${argument})(`, ")");
}

const throwingEdits = (statement: Statement, expectation: Expectation): readonly Edit[] =>
  wrapped(statement, `await __checks.throws(${JSON.stringify(expectation)})(async () => { `, " });");

function isConsoleLog(expression: ESTree.Expression): expression is ESTree.CallExpression {
  if (expression.type !== "CallExpression" || expression.callee.type !== "MemberExpression") return false;
  const { object, property } = expression.callee;
  return (
    object.type === "Identifier" &&
    object.name === "console" &&
    property.type === "Identifier" &&
    property.name === "log"
  );
}

const wrapped = (node: { start: number; end: number }, before: string, after: string): readonly Edit[] => [
  { start: node.start, end: node.start, text: before },
  { start: node.end, end: node.end, text: after },
];

/** Edits never overlap; applying the last first keeps the offsets of the others valid. */
function applyEdits(code: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code);
}
