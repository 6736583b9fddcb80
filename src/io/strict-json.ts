/**
 * Parses JSON into a tree of nodes with offsets, for headers that must not be misread.
 * Stricter than JSON.parse: duplicate keys are errors, numbers stay text (so that 1.0 and 2^60 can be distinguished), escapes must not form
 * lone surrogates, and nesting is at most 64 deep. Offsets count UTF-16 units of the text.
 */

/** A JSON value, tagged by its kind, and its offset in the text. */
export type JsonNode = { readonly offset: number } & (
  | { readonly kind: "object"; readonly entries: ReadonlyMap<string, JsonNode> }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "constant"; readonly value: boolean | null }
);

/** Throws the caller's error, with the problem and its offset in the text. */
export type JsonFail = (problem: string, offset: number) => never;

const maxDepth = 64;
/** The letters of escapes, except u. */
const escaped = '"\\/bfnrt';
const constants = { true: true, false: false, null: null } as const;

/** Limits on the size of the tree, so that a text of 100 MB cannot create many gigabytes. */
export interface JsonLimits {
  /** The largest number of keys in one object, and the remedy in the error. */
  readonly keys: { readonly max: number; readonly remedy: string };
  /** The largest number of values in the text. */
  readonly values: number;
}

/** Parses the whole text as one value, with optional white space around it. */
export function parseStrictJson(text: string, fail: JsonFail, limits?: JsonLimits): JsonNode {
  let at = 0;
  let values = limits?.values ?? Infinity;
  const maxKeys = limits?.keys.max ?? Infinity;
  const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;

  const skipSpace = (): void => {
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  };
  const shown = (): string => (at < text.length ? JSON.stringify(text[at]) : "its end");

  function value(depth: number): JsonNode {
    skipSpace();
    const offset = at;
    if (depth > maxDepth) return fail(`is nested more than ${maxDepth} deep`, at);
    if (--values < 0) return fail(`has more than ${limits?.values} values`, at);
    switch (text[at]) {
      case "{":
        return object(depth);
      case "[":
        return array(depth);
      case '"':
        return { kind: "string", offset, value: string() };
    }
    number.lastIndex = at;
    const digits = number.exec(text)?.[0];
    if (digits !== undefined) {
      at += digits.length;
      return { kind: "number", offset, text: digits };
    }
    for (const [word, meant] of Object.entries(constants))
      if (text.startsWith(word, at)) {
        at += word.length;
        return { kind: "constant", offset, value: meant };
      }
    return fail(`has ${shown()} where a value is expected`, at);
  }

  function string(): string {
    const begin = at++;
    let isEscaped = false;
    let mayBeHalf = false;
    for (;;) {
      while (isPlain(text.charCodeAt(at))) at++;
      const sign = text[at];
      if (sign === '"') break;
      if (sign === undefined) return fail("has a string without an end", begin);
      if (sign !== "\\") return fail("has a control character in a string", at);
      const letter = text[at + 1] ?? "";
      const isCode = letter === "u" && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6));
      if (!isCode && !(letter !== "" && escaped.includes(letter))) return fail("has an unknown escape in a string", at);
      isEscaped = true;
      mayBeHalf ||= isCode;
      at += isCode ? 6 : 2;
    }
    at++;
    // JSON.parse replaces all escapes at once; concatenated one by one, they would take 30 times their length.
    const result = isEscaped ? (JSON.parse(text.slice(begin, at)) as string) : text.slice(begin + 1, at - 1);
    return !mayBeHalf || isWellFormed(result) ? result : fail("has a lone surrogate in a string", begin);
  }

  /** After an item: true if the closing bracket follows, false if a comma does. */
  function closes(close: string): boolean {
    skipSpace();
    if (text[at] !== close && text[at] !== ",") return fail(`has ${shown()} where "," or "${close}" is expected`, at);
    return text[at++] === close;
  }

  function array(depth: number): JsonNode {
    const offset = at++;
    const items: JsonNode[] = [];
    skipSpace();
    if (text[at] === "]") at++;
    else
      do items.push(value(depth + 1));
      while (!closes("]"));
    return { kind: "array", offset, items };
  }

  function object(depth: number): JsonNode {
    const offset = at++;
    const entries = new Map<string, JsonNode>();
    skipSpace();
    if (text[at] === "}") at++;
    else
      do {
        skipSpace();
        const begin = at;
        if (text[at] !== '"') return fail(`has ${shown()} where a key is expected`, at);
        const key = string();
        if (entries.has(key)) return fail(`has the key ${JSON.stringify(key)} twice`, begin);
        skipSpace();
        if (text[at] !== ":") return fail(`has ${shown()} where ":" is expected`, at);
        at++;
        if (entries.size >= maxKeys)
          return fail(`has an object of more than ${maxKeys} keys; ${limits?.keys.remedy}`, begin);
        entries.set(key, value(depth + 1));
      } while (!closes("}"));
    return { kind: "object", offset, entries };
  }

  const result = value(0);
  skipSpace();
  return at < text.length ? fail(`has ${shown()} after its end`, at) : result;
}

/** True for characters without an escape. Past the end the code is NaN, which is not plain. */
const isPlain = (code: number): boolean => code >= 0x20 && code !== 0x22 && code !== 0x5c;

/** True if and only if the text has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  // Matched by code points, only a lone surrogate is a surrogate.
  return !/\p{Surrogate}/u.test(text);
}
