/**
 * JSON as a tree of nodes that know their place, for headers that must not be misread.
 * Stricter than JSON.parse: a key given twice is refused, numbers stay text (so that 1.0 and 2^60 are seen for what they are), escapes
 * must make whole characters, and nesting is at most 64 deep. Offsets count UTF-16 units of the text.
 */

/** A JSON value, tagged by its kind, and where in the text it starts. */
export type JsonNode = { readonly offset: number } & (
  | { readonly kind: "object"; readonly entries: ReadonlyMap<string, JsonNode> }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "constant"; readonly value: boolean | null }
);

/** Throws for the caller: what is wrong, and the offset into the text. */
export type JsonFail = (problem: string, offset: number) => never;

const deepest = 64;
/** The letters behind a backslash, but for u. */
const escaped = '"\\/bfnrt';
const constants = { true: true, false: false, null: null } as const;

/** The most that a text may hold, so that one of 100 MB cannot make a tree of many gigabytes. */
export interface JsonLimits {
  /** The most keys of one object, and what to do past that. */
  readonly keys: { readonly most: number; readonly remedy: string };
  /** The most values in the whole text. */
  readonly values: number;
}

/** The value that the whole text spells, but for white space around it. */
export function parseStrictJson(text: string, fail: JsonFail, limits?: JsonLimits): JsonNode {
  let at = 0;
  let values = limits?.values ?? Infinity;
  const mostKeys = limits?.keys.most ?? Infinity;
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
    if (depth > deepest) return fail(`is nested more than ${deepest} deep`, at);
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
    return fail(`has ${shown()} where a value must stand`, at);
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
    // The parser of the platform replaces the escapes at once; joined one by one, they would take 30 times their length.
    const result = isEscaped ? (JSON.parse(text.slice(begin, at)) as string) : text.slice(begin + 1, at - 1);
    return !mayBeHalf || isWellFormed(result)
      ? result
      : fail("has half a character (a lone surrogate) in a string", begin);
  }

  /** After an item: true if the closing sign follows, false if a comma does. */
  function closes(close: string): boolean {
    skipSpace();
    if (text[at] !== close && text[at] !== ",") return fail(`has ${shown()} where "," or "${close}" must stand`, at);
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
        if (text[at] !== '"') return fail(`has ${shown()} where a key must stand`, at);
        const key = string();
        if (entries.has(key)) return fail(`has the key ${JSON.stringify(key)} twice`, begin);
        skipSpace();
        if (text[at] !== ":") return fail(`has ${shown()} where ":" must stand`, at);
        at++;
        if (entries.size >= mostKeys)
          return fail(`has an object of more than ${mostKeys} keys; ${limits?.keys.remedy}`, begin);
        entries.set(key, value(depth + 1));
      } while (!closes("}"));
    return { kind: "object", offset, entries };
  }

  const result = value(0);
  skipSpace();
  return at < text.length ? fail(`has ${shown()} after its end`, at) : result;
}

/** Past the end the code is NaN, which is not plain. */
const isPlain = (code: number): boolean => code >= 0x20 && code !== 0x22 && code !== 0x5c;

/** True if and only if every surrogate of the text has its other half. */
export function isWellFormed(text: string): boolean {
  // Seen by code points, only a surrogate without its other half is one.
  return !/\p{Surrogate}/u.test(text);
}
