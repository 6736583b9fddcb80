/**
 * Commands about other commands: how an answer comes about, what can be typed, what it means.
 */
import { formatExplanation } from "../../layout/explain.ts";
import { sentenceOf } from "../../layout/sentences.ts";
import type { Step } from "../../layout/trace.ts";
import { listed } from "../arguments.ts";
import { type Command, command, type Invocation, type Outcome } from "../command.ts";
import { checkOptions, commandHelp, exampleLines, findCommand, globalHelp } from "../help.ts";
import { optional, word } from "../operands.ts";
import { UsageError } from "../usage-error.ts";
import { drawLayout, partOutcome } from "./answer.ts";

const toData = (step: Step) => ({ rule: step.rule, text: sentenceOf(step), data: step.data, level: step.level });

/** The command that tells the steps of those that can explain themselves. */
function explainCommand(working: readonly Command[]): Command {
  const able = working.filter((each) => each.explain !== undefined);
  const names = listed(able.map((each) => each.name));
  const run = (invocation: Invocation): Outcome => {
    const [name, ...operands] = invocation.operands;
    if (name === undefined)
      throw new UsageError(`explain: OPERATION is missing (${names}). Usage: stridewise explain OPERATION OPERANDS...`);
    const explained = findCommand(name, able, "operation to explain:");
    checkOptions(explained, invocation);
    const explanation = explained.explain!({ ...invocation, operands });
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
    summary: "how an answer comes about, or why there is none, step by step",
    details: ["A refusal is an answer here: the exit code is 0."],
    options: Object.assign({}, ...able.map((each) => each.options)),
    examples: [
      { line: "explain compose '(6,2):(8,2)' '(4,3):(3,1)'", about: "the steps of a composition" },
      { line: "explain complement '(3,4):(2,3)' 24", about: "why there is no complement" },
      { line: "explain divide '(4,8):(8,1)' '(2,4)' --kind zipped", about: "options as for the command itself" },
    ],
    run,
  };
}

const examples = command({
  name: "examples",
  operands: [],
  summary: "a list of commands to try",
  examples: [],
  run: (_values, _given, { table }) => {
    const all = table.flatMap((each) => each.examples);
    return { lines: exampleLines(all), data: { examples: all } };
  },
});

const help = command({
  name: "help",
  operands: [optional(word("COMMAND", "a command"))],
  summary: "what can be typed, in all or for one command",
  examples: [],
  run: ([name], _given, { table }) => {
    const lines = name === undefined ? globalHelp(table) : commandHelp(findCommand(name, table));
    return { lines, data: { help: lines.join("\n") } };
  },
});

export const guideCommands = (working: readonly Command[]): readonly Command[] => [
  explainCommand(working),
  examples,
  help,
];
