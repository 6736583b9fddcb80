/**
 * Products of literal numbers, computed by the compiler: `Times<4, 8>` is 32. Exact up to 2^31, `number` beyond.
 * `number` times anything is `number`, as are products of negative numbers and fractions. Used by layout-types.ts.
 */
import type { Static } from "../int.ts";

/** A single literal, or `number` for a union of literals. */
export type Single<N extends number, All = N> = N extends unknown ? ([All] extends [N] ? N : number) : never;
/** The literal value of a number or a static integer, otherwise `number`. */
export type Value<T> = [T] extends [number] ? Single<T> : [T] extends [Static<infer N>] ? Single<N> : number;

// Powers of two, by far the most common sizes, are looked up: From8[k] = 8 * 2^k.
type From1024 = [
  1024,
  2048,
  4096,
  8192,
  16384,
  32768,
  65536,
  131072,
  262144,
  524288,
  1048576,
  2097152,
  4194304,
  8388608,
  16777216,
  33554432,
  67108864,
  134217728,
  268435456,
  536870912,
  1073741824,
  2147483648,
  ...number[],
];
type From512 = [512, ...From1024];
type From256 = [256, ...From512];
type From128 = [128, ...From256];
type From64 = [64, ...From128];
type From32 = [32, ...From64];
type From16 = [16, ...From32];
type From8 = [8, ...From16];
type From4 = [4, ...From8];
type From2 = [2, ...From4];
type From1 = [1, ...From2];
type PowersFrom = {
  1: From1;
  2: From2;
  4: From4;
  8: From8;
  16: From16;
  32: From32;
  64: From64;
  128: From128;
  256: From256;
  512: From512;
  1024: From1024;
};
type Exponent = {
  1: 0;
  2: 1;
  4: 2;
  8: 3;
  16: 4;
  32: 5;
  64: 6;
  128: 7;
  256: 8;
  512: 9;
  1024: 10;
  2048: 11;
  4096: 12;
  8192: 13;
  16384: 14;
  32768: 15;
  65536: 16;
  131072: 17;
  262144: 18;
  524288: 19;
  1048576: 20;
  2097152: 21;
  4194304: 22;
  8388608: 23;
  16777216: 24;
  33554432: 25;
  67108864: 26;
  134217728: 27;
  268435456: 28;
  536870912: 29;
  1073741824: 30;
  2147483648: 31;
};

/** a * b, exact up to 2^31. */
export type Times<A extends number, B extends number> = number extends A | B
  ? number
  : A extends 1
    ? B
    : A extends keyof Exponent
      ? B extends keyof PowersFrom
        ? PowersFrom[B][Exponent[A]]
        : TimesAny<A, B>
      : TimesAny<A, B>;
type TimesAny<A extends number, B extends number> = 0 extends A | B
  ? 0
  : B extends 1
    ? A
    : IsLong<`${A}${B}`> extends true
      ? number
      : ToNumber<TimesDigits<Reverse<`${A}`>, Reverse<`${B}`>>>;
/** True for more than 11 digits, where the product has more than 10, and for anything but natural numbers. */
type IsLong<S extends string> = S extends `-${string}`
  ? true
  : S extends `${bigint}`
    ? S extends `${infer _1}${infer _2}${infer _3}${infer _4}${infer _5}${infer _6}${infer _7}${infer _8}${infer _9}${infer _10}${infer _11}${infer _12}${infer _}`
      ? true
      : false
    : true;

// Long multiplication on strings of digits, last digit first. Table entries have two digits: high, low.
type Digit = keyof ProductOf & `${number}`;
type ProductOf = [
  ["00", "00", "00", "00", "00", "00", "00", "00", "00", "00"],
  ["00", "01", "02", "03", "04", "05", "06", "07", "08", "09"],
  ["00", "02", "04", "06", "08", "10", "12", "14", "16", "18"],
  ["00", "03", "06", "09", "12", "15", "18", "21", "24", "27"],
  ["00", "04", "08", "12", "16", "20", "24", "28", "32", "36"],
  ["00", "05", "10", "15", "20", "25", "30", "35", "40", "45"],
  ["00", "06", "12", "18", "24", "30", "36", "42", "48", "54"],
  ["00", "07", "14", "21", "28", "35", "42", "49", "56", "63"],
  ["00", "08", "16", "24", "32", "40", "48", "56", "64", "72"],
  ["00", "09", "18", "27", "36", "45", "54", "63", "72", "81"],
];
type SumOf = [
  ["00", "01", "02", "03", "04", "05", "06", "07", "08", "09"],
  ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10"],
  ["02", "03", "04", "05", "06", "07", "08", "09", "10", "11"],
  ["03", "04", "05", "06", "07", "08", "09", "10", "11", "12"],
  ["04", "05", "06", "07", "08", "09", "10", "11", "12", "13"],
  ["05", "06", "07", "08", "09", "10", "11", "12", "13", "14"],
  ["06", "07", "08", "09", "10", "11", "12", "13", "14", "15"],
  ["07", "08", "09", "10", "11", "12", "13", "14", "15", "16"],
  ["08", "09", "10", "11", "12", "13", "14", "15", "16", "17"],
  ["09", "10", "11", "12", "13", "14", "15", "16", "17", "18"],
];
type Successor = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "9"];
/** Two digits plus one digit. */
type PlusDigit<P, C extends Digit> = P extends `${infer H extends Digit}${infer L extends Digit}`
  ? SumOf[L][C] extends `0${infer X}`
    ? `${H}${X}`
    : SumOf[L][C] extends `1${infer X}`
      ? `${Successor[H]}${X}`
      : never
  : never;
/** a * digit + sum + carry, one digit longer than a. */
type Row<
  A extends string,
  D extends Digit,
  Sum extends string,
  Carry extends Digit = "0",
  Out extends string = "",
> = A extends `${infer H extends Digit}${infer T}`
  ? Sum extends `${infer G extends Digit}${infer U}`
    ? PlusDigit<PlusDigit<ProductOf[D][H], Carry>, G> extends `${infer High extends Digit}${infer Low}`
      ? Row<T, D, U, High, `${Out}${Low}`>
      : never
    : never
  : `${Out}${Carry}`;
/** a * b, first digit first. */
type TimesDigits<
  A extends string,
  B extends string,
  Sum extends string = "0000000000",
  Out extends string = "",
> = B extends `${infer D extends Digit}${infer T}`
  ? Row<A, D, Sum> extends `${infer Low}${infer High}`
    ? TimesDigits<A, T, High, `${Out}${Low}`>
    : never
  : WithoutZeros<Reverse<`${Out}${Sum}`>>;
type Reverse<S extends string, Out extends string = ""> = S extends `${infer H}${infer T}`
  ? Reverse<T, `${H}${Out}`>
  : Out;
type WithoutZeros<S extends string> = S extends `0${infer T}` ? WithoutZeros<T> : S;
/** The number with these digits, or `number` above 2^31. */
type ToNumber<S extends string> =
  S extends `${infer _1}${infer _2}${infer _3}${infer _4}${infer _5}${infer _6}${infer _7}${infer _8}${infer _9}${infer _10}${infer Rest}`
    ? Rest extends ""
      ? AtMost<S, "2147483648"> extends true
        ? Parsed<S>
        : number
      : number
    : Parsed<S>;
export type Parsed<S extends string> = S extends `${infer N extends number}` ? N : number;
/** The digits below each digit. */
export type Below = [
  never,
  "0",
  "0" | "1",
  "0" | "1" | "2",
  "0" | "1" | "2" | "3",
  "0" | "1" | "2" | "3" | "4",
  "0" | "1" | "2" | "3" | "4" | "5",
  "0" | "1" | "2" | "3" | "4" | "5" | "6",
  "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7",
  "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8",
];
type AtMost<A extends string, B extends string> = A extends `${infer G}${infer T}`
  ? B extends `${infer H extends Digit}${infer U}`
    ? G extends H
      ? AtMost<T, U>
      : G extends Below[H]
        ? true
        : false
    : false
  : true;
