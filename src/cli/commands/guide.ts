/**
 * Commands about other commands: explanations, examples and help.
 */
import { formatExplanation } from "../../layout/explain.ts";
import { sentenceOf } from "../../layout/sentences.ts";
import type { Step } from "../../layout/trace.ts";
import { listed, UsageError } from "../arguments.ts";
import { type Command, command, type Invocation, type Outcome } from "../command.ts";
import { checkOptions, commandHelp, exampleLines, findCommand, globalHelp } from "../help.ts";
import { optional, word } from "../operands.ts";
import { drawLayout, partOutcome } from "./answer.ts";

const toData = (step: Step) => ({ rule: step.rule, text: sentenceOf(step), data: step.data, level: step.level });

/** The command that prints the steps of the commands with an explanation. */
function explainCommand(layoutCommands: readonly Command[]): Command {
  const explained = layoutCommands.filter((each) => each.explain !== undefined);
  const names = listed(explained.map((each) => each.name));
  const run = (invocation: Invocation): Outcome => {
    const [name, ...operands] = invocation.operands;
    if (name === undefined)
      throw new UsageError(`explain: OPERATION is missing (${names}). Usage: stridewise explain OPERATION OPERANDS...`);
    const command = findCommand(name, explained, "operation to explain:");
    checkOptions(command, invocation);
    const explanation = command.explain!({ ...invocation, operands });
    const { operation, steps, result, offset, refusal } = explanation;
    return {
      lines: formatExplanation(explanation).split("\n"),
      data: { explained: operation, steps: steps.map(toData), ...(result && { result }), ...(refusal && { refusal }) },
      ...(result && { picture: offset === undefined ? drawLayout(result) : partOutcome([result, offset]).picture }),
    };
  };
  return {
    name: "explain",
    usage: "OPERATION OPERANDS...",
    operands: [
      { name: "OPERATION", about: names },
      { name: "OPERANDS", about: "the operands and options of that command" },
    ],
    summary: "explain a result, or why there is none, step by step",
    details: ["The exit code is 0 even if the operation has no result."],
    options: Object.assign({}, ...explained.map((each) => each.options)),
    examples: [
      { line: "explain compose '(6,2):(8,2)' '(4,3):(3,1)'", about: "the steps of a composition" },
      { line: "explain complement '(3,4):(2,3)' 24", about: "why there is no complement" },
      { line: "explain divide '(4,8):(8,1)' '(2,4)' --kind zipped", about: "with an option of the command" },
    ],
    run,
  };
}

const examples = command({
  name: "examples",
  operands: [],
  summary: "list commands to try",
  examples: [],
  run: (_values, _options, { table }) => {
    const all = table.flatMap((each) => each.examples);
    return { lines: exampleLines(all), data: { examples: all } };
  },
});

const help = command({
  name: "help",
  operands: [optional(word("COMMAND", "a command"))],
  summary: "print this help, or that of one command",
  examples: [],
  run: ([name], _options, { table }) => {
    const lines = name === undefined ? globalHelp(table) : commandHelp(findCommand(name, table));
    return { lines, data: { help: lines.join("\n") } };
  },
});

export const guideCommands = (layoutCommands: readonly Command[]): readonly Command[] => [
  explainCommand(layoutCommands),
  examples,
  help,
];
