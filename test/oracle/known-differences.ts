/**
 * Where this library differs from a record on purpose and is right. Each row says for which questions, why, and what must
 * still hold of our answer; the runner counts these apart and prints the reasons.
 */
import { type PlainLayout, isPlainLayout, sizeOf } from "./plain.ts";
import { isLeftInverse, isRightInverse } from "./properties.ts";
import type { Answer, Question, Verdict } from "./judge.ts";

interface Difference {
  readonly reason: string;
  readonly applies: (question: Question, answer: Answer) => boolean;
}

const layoutArg = (question: Question): PlainLayout => question.args[0] as unknown as PlainLayout;
const layoutAnswer = (answer: Answer): PlainLayout | undefined =>
  answer.kind === "value" && isPlainLayout(answer.json) ? answer.json : undefined;

const differences: readonly Difference[] = [
  {
    reason: "a left inverse is determined on the offsets of the layout only; between them ours follows the C++",
    applies: (question, answer) => {
      const ours = layoutAnswer(answer);
      return question.op === "left_inverse" && ours !== undefined && isLeftInverse(layoutArg(question), ours);
    },
  },
  {
    reason: "the Python right_inverse stops at a mode of stride 0; ours reaches further, as the C++",
    applies: (question, answer) => {
      const ours = layoutAnswer(answer);
      const recorded = question.expected as unknown as PlainLayout | undefined;
      return (
        question.op === "right_inverse" &&
        ours !== undefined &&
        recorded !== undefined &&
        isRightInverse(layoutArg(question), ours, sizeOf(recorded.shape) + 1)
      );
    },
  },
];

export function knownDifference(question: Question, answer: Answer): Verdict | undefined {
  const found = differences.find(({ applies }) => applies(question, answer));
  return found && { kind: "passed", way: "known difference", reason: found.reason };
}
