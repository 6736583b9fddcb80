/**
 * What a formula's text tells the type checker: whether it names its outputs, and how.
 * Only texts that are literals are looked at; any other counts as a formula of one output.
 */

/** A union of the names that a text gives to outputs: "s" | "d" of "s = x + y; d = x - y"; never if it names none. */
export type OutputNames<F extends string> = string extends F
  ? never
  : F extends `${infer Statement};${infer Rest}`
    ? NameIn<Trimmed<Statement>> | OutputNames<Rest>
    : NameIn<Trimmed<F>>;

type NameIn<S extends string> = S extends `let ${string}`
  ? never
  : S extends `${infer Name}=${infer Value}`
    ? Value extends `=${string}`
      ? never
      : Trimmed<Name> extends `${string}${NoName}${string}`
        ? never
        : Trimmed<Name>
    : never;

/** What stands before a "=" that is part of a comparison holds one of these. */
type NoName = " " | "<" | ">" | "!" | "(" | "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "?" | "~";

type Trimmed<S extends string> = S extends `${Space}${infer Rest}`
  ? Trimmed<Rest>
  : S extends `${infer Rest}${Space}`
    ? Trimmed<Rest>
    : S;
type Space = " " | "\n" | "\t";
