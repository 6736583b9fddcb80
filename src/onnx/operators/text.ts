/** Strings: StringConcat, StringSplit, StringNormalizer, RegexFullMatch, TfIdfVectorizer. Tensors of strings live in JavaScript. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { FullMatch } from "../regex.ts";
import { TextTensor } from "../values.ts";
import { tfIdfVectorizer } from "./tf-idf.ts";

function stringConcat(call: Call): TextTensor {
  const [a, b] = [call.text(0), call.text(1)];
  const rank = Math.max(a.shape.length, b.shape.length);
  const sizes = [a, b].map(({ shape }) => [...new Array<number>(rank - shape.length).fill(1), ...shape]);
  const shape = sizes[0].map((size, k) => {
    const other = sizes[1][k];
    if (size !== other && size !== 1 && other !== 1)
      throw call.error(`the shapes [${a.shape}] and [${b.shape}] cannot be broadcast`);
    return size === 1 ? other : size;
  });
  const count = shape.reduce((x, y) => x * y, 1);
  const at = (index: number, own: readonly number[]): number => {
    let rest = index;
    let [result, stride] = [0, 1];
    for (let k = rank - 1; k >= 0; k--) {
      if (own[k] > 1) result += (rest % shape[k]) * stride;
      stride *= own[k];
      rest = Math.floor(rest / shape[k]);
    }
    return result;
  };
  const data = Array.from({ length: count }, (_, k) => `${a.data[at(k, sizes[0])]}${b.data[at(k, sizes[1])]}`);
  return new TextTensor(shape, data);
}

/** Splits at the delimiter at most `most` times; without one, at spaces, of which those around the text are dropped. */
function pieces(text: string, delimiter: string, most: number): string[] {
  const result: string[] = [];
  let rest = delimiter === "" ? text.trim() : text;
  if (rest === "") return [];
  while (result.length < most) {
    const at = delimiter === "" ? rest.search(/\s/) : rest.indexOf(delimiter);
    if (at < 0) break;
    result.push(rest.slice(0, at));
    rest = delimiter === "" ? rest.slice(at).trimStart() : rest.slice(at + delimiter.length);
  }
  return [...result, rest];
}

function stringSplit(call: Call): readonly [TextTensor, sw.Tensor] {
  const { shape, data } = call.text(0);
  const delimiter = call.string("delimiter", "");
  const most = call.hasAttribute("maxsplit") ? call.int("maxsplit") : Number.POSITIVE_INFINITY;
  const rows = data.map((text) => pieces(text, delimiter, most));
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
  const padded = rows.flatMap((row) => [...row, ...new Array<string>(width - row.length).fill("")]);
  const counts = BigInt64Array.from(rows, ({ length }) => BigInt(length));
  return [new TextTensor([...shape, width], padded), sw.tensor(counts).reshape([...shape])];
}

function stringNormalizer(call: Call): TextTensor {
  const { shape, data } = call.text(0);
  if (shape.length !== 1 && !(shape.length === 2 && shape[0] === 1))
    throw call.error(`the input must have the shape [C] or [1, C], got [${shape}]`);
  const action = call.string("case_change_action", "NONE");
  const locale = call.string("locale", "en-US").replace("_", "-");
  const changes: Readonly<Record<string, (text: string) => string>> = {
    NONE: (text) => text,
    LOWER: (text) => text.toLocaleLowerCase(locale),
    UPPER: (text) => text.toLocaleUpperCase(locale),
  };
  if (!Object.hasOwn(changes, action))
    throw call.error(`case_change_action must be LOWER, UPPER or NONE, got "${action}"`);
  if (!isLocale(locale)) throw call.error(`locale "${locale}" is not the name of a locale, such as en_US`);
  const isSensitive = call.int("is_case_sensitive", 0) !== 0;
  const compared = (text: string): string => (isSensitive ? text : text.toLocaleLowerCase(locale));
  const dropped = new Set(call.strings("stopwords", [] as string[]).map(compared));
  const kept = data.filter((text) => !dropped.has(compared(text))).map(changes[action]);
  const words = kept.length === 0 ? [""] : kept;
  return new TextTensor([...shape.slice(0, -1), words.length], words);
}

function isLocale(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length === 1;
  } catch {
    return false;
  }
}

export const text: OperatorTable = {
  StringConcat: stringConcat,
  StringSplit: stringSplit,
  StringNormalizer: stringNormalizer,
  RegexFullMatch(call) {
    const { shape, data } = call.text(0);
    const pattern = new FullMatch(call.string("pattern", ""));
    return sw
      .tensor(Uint8Array.from(data, (each) => (pattern.test(each) ? 1 : 0)))
      .to("bool")
      .reshape([...shape]);
  },
  TfIdfVectorizer: tfIdfVectorizer,
};
