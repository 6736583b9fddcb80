/**
 * Parses the Python literals in NumPy's headers: strings, integers, True, False, None, tuples, lists and dicts.
 * Everything else is an error with its offset; nothing is evaluated. Spaces, either quote, any order of keys, trailing commas and the `L` of
 * Python 2 are allowed. Nesting is at most 32 deep.
 */

/** A literal, tagged by its kind, and its offset in the text. */
export type PythonLiteral = { readonly offset: number } & (
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "integer"; readonly text: string }
  | { readonly kind: "constant"; readonly value: boolean | null }
  | { readonly kind: "tuple" | "list"; readonly items: readonly PythonLiteral[] }
  | { readonly kind: "dict"; readonly entries: ReadonlyMap<string, PythonLiteral> }
);

/** Throws the caller's error, with the problem and its offset in the text. */
export type Fail = (problem: string, offset: number) => never;

const maxDepth = 32;
const escapes: Readonly<Record<string, string>> = { "\\": "\\", "'": "'", '"': '"', n: "\n", r: "\r", t: "\t" };

/** Parses the whole text as one literal, with optional white space around it. */
export function parsePythonLiteral(text: string, fail: Fail): PythonLiteral {
  let at = 0;

  const skipSpace = (): void => {
    while (at < text.length && " \t\n\r\f".includes(text[at])) at++;
  };
  const shown = (): string => (at < text.length ? JSON.stringify(text[at]) : "the end of the header");

  function value(depth: number): PythonLiteral {
    skipSpace();
    const start = text[at];
    if (depth > maxDepth) return fail(`is nested more than ${maxDepth} deep`, at);
    if (start === "{") return dict(depth);
    if (start === "(") return sequence("tuple", ")", depth);
    if (start === "[") return sequence("list", "]", depth);
    if (start === "'" || start === '"') return { kind: "string", offset: at, value: string() };
    const word = /[-+]?[0-9]+L?|[A-Za-z_][A-Za-z_0-9]*/y;
    word.lastIndex = at;
    const match = word.exec(text)?.[0];
    if (match === undefined) return fail(`has ${shown()} where a value is expected`, at);
    const offset = at;
    at += match.length;
    if (match === "True" || match === "False") return { kind: "constant", offset, value: match === "True" };
    if (match === "None") return { kind: "constant", offset, value: null };
    // A string prefix of Python 2.
    if ((match === "u" || match === "b") && (text[at] === "'" || text[at] === '"'))
      return { kind: "string", offset, value: string() };
    if (/^[A-Za-z_]/.test(match))
      return fail(`has the name ${JSON.stringify(match)} where a value is expected`, offset);
    return { kind: "integer", offset, text: match.replace("L", "") };
  }

  function string(): string {
    const begin = at;
    const quote = text[at++];
    let result = "";
    while (text[at] !== quote) {
      if (at >= text.length || text[at] === "\n") return fail("has a string without an end", begin);
      if (text[at] === "\\") {
        const meant = escapes[text[at + 1] ?? ""];
        if (meant === undefined) return fail("has an unknown escape in a string", at);
        result += meant;
        at += 2;
      } else result += text[at++];
    }
    at++;
    return result;
  }

  /** After an item: true if the closing bracket follows, optionally after a comma. */
  function closes(close: string): boolean {
    skipSpace();
    const comma = text[at] === ",";
    if (comma) at++;
    skipSpace();
    if (text[at] === close) {
      at++;
      return true;
    }
    return comma ? false : fail(`has ${shown()} where "," or "${close}" is expected`, at);
  }

  function sequence(kind: "tuple" | "list", close: string, depth: number): PythonLiteral {
    const offset = at++;
    const items: PythonLiteral[] = [];
    skipSpace();
    if (text[at] === close) {
      at++;
      return { kind, offset, items };
    }
    for (;;) {
      items.push(value(depth + 1));
      skipSpace();
      // (3) is 3: only a comma makes a tuple.
      const grouped = kind === "tuple" && items.length === 1 && text[at] === close;
      if (closes(close)) return grouped ? items[0] : { kind, offset, items };
    }
  }

  function dict(depth: number): PythonLiteral {
    const offset = at++;
    const entries = new Map<string, PythonLiteral>();
    skipSpace();
    if (text[at] === "}") {
      at++;
      return { kind: "dict", offset, entries };
    }
    for (;;) {
      const key = value(depth + 1);
      if (key.kind !== "string") return fail("has a key that is not a string", key.offset);
      if (entries.has(key.value)) return fail(`has the key ${JSON.stringify(key.value)} twice`, key.offset);
      skipSpace();
      if (text[at] !== ":") return fail(`has ${shown()} where ":" is expected`, at);
      at++;
      entries.set(key.value, value(depth + 1));
      if (closes("}")) return { kind: "dict", offset, entries };
    }
  }

  const result = value(0);
  skipSpace();
  return at < text.length ? fail(`has ${shown()} after its end`, at) : result;
}
