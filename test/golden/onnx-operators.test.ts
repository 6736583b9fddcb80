/** docs/onnx-operators.md is generated from the tables of operators. */
import { expect, test } from "vitest";
import { operatorTables } from "../../src/onnx/operators/tables.ts";

/** The names of a table in columns, sorted. */
function listOf(names: readonly string[]): string {
  return [...names]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => `\`${name}\``)
    .join(" ");
}

test("docs/onnx-operators.md is up to date; vitest --update writes it", async () => {
  const count = Object.values(operatorTables).reduce((sum, table) => sum + Object.keys(table).length, 0);
  const sections = Object.entries(operatorTables).map(([domain, table]) => {
    const names = Object.keys(table);
    return `## ${domain === "" ? "ai.onnx (the default domain)" : domain}\n\n${names.length} operators.\n\n${listOf(names)}\n`;
  });
  const text = `# ONNX operators

[Run a model](onnx.md) describes how models are loaded and run. These ${count} operators are supported, in all versions from opset 7 on unless the chapter
says otherwise. Functions that a model defines itself run as the operators in their body.

${sections.join("\n")}`;
  await expect(text).toMatchFileSnapshot("../../docs/onnx-operators.md");
});
