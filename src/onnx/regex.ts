/**
 * Regular expressions in the syntax of RE2, for full matches. A pattern becomes a nondeterministic automaton that is run over all of its states at
 * once, so time is at most the length of the text times the size of the pattern, whatever the pattern is.
 *
 * Grammar: alternatives of repeated atoms; groups with flags i, m, s and U; classes, also [[:alpha:]] and \p{Greek}; the assertions ^ $ \A \z \b \B.
 * As in RE2 there are no references to groups and no lookarounds, and a repetition counts at most to 1,000.
 */
import { OnnxError } from "./error.ts";
import { type CodeTest, classOf, namedClass, posixClass, withoutCase } from "./regex-classes.ts";

type Assertion = "start" | "end" | "line start" | "line end" | "boundary" | "no boundary";

/** A state: it consumes a code point, or goes on to others without consuming one. */
type State =
  | { readonly kind: "code"; readonly test: CodeTest; readonly to: number }
  | { readonly kind: "assert"; readonly what: Assertion; readonly to: number }
  | { readonly kind: "split"; readonly to: number[] }
  | { readonly kind: "match" };

/** A part of a pattern. */
type Part =
  | { readonly kind: "code"; readonly test: CodeTest }
  | { readonly kind: "assert"; readonly what: Assertion }
  | { readonly kind: "all"; readonly parts: readonly Part[] }
  | { readonly kind: "any"; readonly parts: readonly Part[] }
  | { readonly kind: "repeat"; readonly part: Part; readonly from: number; readonly to: number };

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

const maxRepeat = 1000;
const maxStates = 20_000;
const maxDepth = 500;

class Parser {
  readonly #text: readonly string[];
  readonly #pattern: string;
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
    // Quoted characters are literals.
    const isQuoted = /\\Q([\s\S]*?)(?:\\E|$)|\\[\s\S]/gu;
    const text = pattern.replace(isQuoted, (escape, quoted: string | undefined) =>
      quoted === undefined ? escape : [...quoted].map((each) => `\\x{${each.codePointAt(0)?.toString(16)}}`).join(""),
    );
    this.#text = [...text];
  }

  parse(): Part {
    const part = this.#alternatives({ i: false, m: false, s: false });
    if (this.#at < this.#text.length) this.#fail("has a closing parenthesis without an opening one");
    return part;
  }

  #fail(problem: string): never {
    throw new OnnxError(
      `the pattern "${this.#pattern.slice(0, 80)}" ${problem} (at character ${this.#at}). Write it in the syntax of RE2`,
    );
  }

  #peek(length = 1): string {
    return this.#text.slice(this.#at, this.#at + length).join("");
  }

  #take(expected: string): boolean {
    if (this.#peek(expected.length) !== expected) return false;
    this.#at += expected.length;
    return true;
  }

  #alternatives(flags: Flags): Part {
    if (++this.#depth > maxDepth) this.#fail(`nests more than ${maxDepth} groups`);
    const parts: Part[] = [];
    let current: Part[] = [];
    let now = flags;
    while (this.#at < this.#text.length && this.#peek() !== ")") {
      if (this.#take("|")) {
        parts.push({ kind: "all", parts: current });
        current = [];
        continue;
      }
      const inner = this.#flagsOnly(now);
      if (inner !== null) now = inner;
      else current.push(...this.#repeated(now));
    }
    parts.push({ kind: "all", parts: current });
    this.#depth--;
    return parts.length === 1 ? parts[0] : { kind: "any", parts };
  }

  /** Reads `(?i)`, which sets flags for the rest of a group; null if there is no such group here. */
  #flagsOnly(flags: Flags): Flags | null {
    const match = /^\(\?([imsU]*)(?:-([imsU]+))?\)/.exec(this.#peek(16));
    if (match === null) return null;
    this.#at += match[0].length;
    return changed(flags, match[1], match[2] ?? "");
  }

  #repeated(flags: Flags): Part[] {
    let part = this.#atom(flags);
    for (let times = 0; ; times++) {
      const range = this.#repetition();
      if (range === null) return [part];
      if (times > 0) this.#fail("repeats a repetition");
      this.#take("?");
      part = { kind: "repeat", part, from: range[0], to: range[1] };
    }
  }

  #repetition(): readonly [from: number, to: number] | null {
    if (this.#take("*")) return [0, Number.POSITIVE_INFINITY];
    if (this.#take("+")) return [1, Number.POSITIVE_INFINITY];
    if (this.#take("?")) return [0, 1];
    const match = /^\{(\d{1,9})(,?)(\d{0,9})\}/.exec(this.#peek(32));
    if (match === null || (match[2] === "" && match[3] !== "")) return null;
    this.#at += match[0].length;
    const from = Number(match[1]);
    const to = match[2] === "" ? from : match[3] === "" ? Number.POSITIVE_INFINITY : Number(match[3]);
    if (from > to || from > maxRepeat || (to > maxRepeat && to !== Number.POSITIVE_INFINITY))
      this.#fail(`has the repetition ${match[0]}; counts go from low to high, up to ${maxRepeat}`);
    return [from, to];
  }

  #atom(flags: Flags): Part {
    const char = this.#text[this.#at++];
    if (char === "(") return this.#group(flags);
    if (char === "[") return { kind: "code", test: this.#bracket(flags) };
    if (char === ".") return { kind: "code", test: flags.s ? () => true : (code) => code !== 10 };
    if (char === "^") return { kind: "assert", what: flags.m ? "line start" : "start" };
    if (char === "$") return { kind: "assert", what: flags.m ? "line end" : "end" };
    if ("*+?".includes(char)) this.#fail(`has ${char} with nothing to repeat`);
    if (char !== "\\") return { kind: "code", test: testOf(char.codePointAt(0) as number, flags) };
    const assertion = ({ A: "start", z: "end", b: "boundary", B: "no boundary" } as const)[this.#peek()];
    if (assertion === undefined) return { kind: "code", test: testOf(this.#escape(), flags) };
    this.#at++;
    return { kind: "assert", what: assertion };
  }

  #group(flags: Flags): Part {
    let inner = flags;
    if (this.#take("?")) {
      const match = /^(?:P?<[A-Za-z_]\w*>|([imsU]*)(?:-([imsU]+))?:)/.exec(
        this.#text.slice(this.#at, this.#at + 200).join(""),
      );
      if (match === null) this.#fail("has a group that RE2 does not have, such as a lookaround");
      this.#at += match[0].length;
      inner = changed(flags, match[1] ?? "", match[2] ?? "");
    }
    const part = this.#alternatives(inner);
    if (!this.#take(")")) this.#fail("has a group without an end");
    return part;
  }

  /** Reads an escape after its backslash: the code of one character, or a class. */
  #escape(): number | CodeTest {
    const match =
      /^(?:x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]{1,6})\}|(0[0-7]{0,2})|[pP](?:\{\^?\w+\}|[A-Z])|[dDsSwWafnrtv]|[^\w\s])/u.exec(
        this.#peek(64),
      );
    if (match === null) this.#fail("has an escape that RE2 does not have");
    const [text, short, long, octal] = match;
    this.#at += [...text].length;
    if (octal !== undefined) return Number.parseInt(octal, 8);
    const code = short ?? long;
    if (code !== undefined) {
      const value = Number.parseInt(code, 16);
      return value <= 0x10ffff ? value : this.#fail("has a character beyond U+10FFFF");
    }
    if (Object.hasOwn(controls, text)) return controls[text];
    if (/^[pP]/.test(text))
      return namedClass(text) ?? this.#fail(`has the class \\${text}, which is not a class of characters`);
    return classOf(text) ?? (text.codePointAt(0) as number);
  }

  #bracket(flags: Flags): CodeTest {
    const isNegated = this.#take("^");
    const tests: CodeTest[] = [];
    for (let first = true; first || this.#peek() !== "]"; first = false) {
      if (this.#at >= this.#text.length) this.#fail("has a class without an end");
      const posix = /^\[:(\^?)(\w+):\]/.exec(this.#peek(16));
      if (posix !== null) {
        this.#at += posix[0].length;
        const test = posixClass(posix[2]) ?? this.#fail(`has the class ${posix[0]}, which does not exist`);
        tests.push(posix[1] === "" ? test : (code) => !test(code));
        continue;
      }
      tests.push(this.#bracketItem());
    }
    this.#at++;
    const any: CodeTest = (code) => tests.some((test) => test(code));
    const test = flags.i ? withoutCase(any) : any;
    return isNegated ? (code) => !test(code) : test;
  }

  /** A character, a range or an escape inside of brackets. */
  #bracketItem(): CodeTest {
    const [low, test] = this.#bracketEnd();
    if (low === null || this.#peek() !== "-" || this.#peek(2) === "-]") return test;
    this.#at++;
    const [high] = this.#bracketEnd();
    if (high === null || high < low) this.#fail("has a range of characters from high to low");
    return (code) => code >= low && code <= high;
  }

  /** One character with its code, or a class without one. */
  #bracketEnd(): readonly [code: number | null, test: CodeTest] {
    if (this.#at >= this.#text.length) this.#fail("has a class without an end");
    const char = this.#text[this.#at++];
    const read = char === "\\" ? this.#escape() : (char.codePointAt(0) as number);
    return typeof read === "number" ? [read, (code) => code === read] : [null, read];
  }
}

/** The codes of escapes of one letter. */
const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

const changed = (flags: Flags, on: string, off: string): Flags => {
  const value = (name: keyof Flags): boolean => (off.includes(name) ? false : on.includes(name) || flags[name]);
  return { i: value("i"), m: value("m"), s: value("s") };
};

/** The test for a character or a class. */
function testOf(read: number | CodeTest, flags: Flags): CodeTest {
  const test: CodeTest = typeof read === "number" ? (code) => code === read : read;
  return flags.i ? withoutCase(test) : test;
}

/** A compiled pattern. */
export class FullMatch {
  readonly #states: State[] = [];
  readonly #start: number;

  constructor(pattern: string) {
    const part = new Parser(pattern).parse();
    this.#start = this.#add(part, this.#state({ kind: "match" }));
  }

  /** True if the whole text matches. */
  test(text: string): boolean {
    const codes = [...text].map((char) => char.codePointAt(0) as number);
    let present = this.#closure([this.#start], codes, 0);
    for (let k = 0; k < codes.length && present.length > 0; k++) {
      const next: number[] = [];
      for (const index of present) {
        const state = this.#states[index];
        if (state.kind === "code" && state.test(codes[k])) next.push(state.to);
      }
      present = this.#closure(next, codes, k + 1);
    }
    return present.some((index) => this.#states[index].kind === "match");
  }

  #state(state: State): number {
    if (this.#states.length >= maxStates)
      throw new OnnxError(`the pattern has more than ${maxStates} states. Shorten its repetitions`);
    return this.#states.push(state) - 1;
  }

  /** Adds the states of a part that goes on to the state `to`. Returns its first state. */
  #add(part: Part, to: number): number {
    switch (part.kind) {
      case "code":
        return this.#state({ kind: "code", test: part.test, to });
      case "assert":
        return this.#state({ kind: "assert", what: part.what, to });
      case "all":
        return part.parts.reduceRight((next, each) => this.#add(each, next), to);
      case "any":
        return this.#state({ kind: "split", to: part.parts.map((each) => this.#add(each, to)) });
      case "repeat":
        return this.#addRepeat(part.part, part.from, part.to, to);
      default:
        return part satisfies never;
    }
  }

  #addRepeat(part: Part, from: number, most: number, to: number): number {
    let next = to;
    if (most === Number.POSITIVE_INFINITY) {
      const targets = [to];
      next = this.#state({ kind: "split", to: targets });
      targets.push(this.#add(part, next));
    } else for (let k = from; k < most; k++) next = this.#state({ kind: "split", to: [to, this.#add(part, next)] });
    for (let k = 0; k < from; k++) next = this.#add(part, next);
    return next;
  }

  /** The states that are reached without consuming a code point. */
  #closure(from: readonly number[], codes: readonly number[], at: number): number[] {
    const seen = new Set(from);
    for (const index of seen) {
      const state = this.#states[index];
      if (state.kind === "split") for (const to of state.to) seen.add(to);
      else if (state.kind === "assert" && holds(state.what, codes, at)) seen.add(state.to);
    }
    return [...seen];
  }
}

const isWordCode = (code: number | undefined): boolean => code !== undefined && /^\w$/.test(String.fromCodePoint(code));

function holds(what: Assertion, codes: readonly number[], at: number): boolean {
  switch (what) {
    case "start":
      return at === 0;
    case "end":
      return at === codes.length;
    case "line start":
      return at === 0 || codes[at - 1] === 10;
    case "line end":
      return at === codes.length || codes[at] === 10;
    case "boundary":
      return isWordCode(codes[at - 1]) !== isWordCode(codes[at]);
    case "no boundary":
      return isWordCode(codes[at - 1]) === isWordCode(codes[at]);
    default:
      return what satisfies never;
  }
}
