/** C++ expressions. */
import { type Verdict, skipped } from "./judge.ts";
import type { Fields } from "./records.ts";
export function judgeExpression(_fields: Fields): Verdict {
  return skipped("expression");
}
