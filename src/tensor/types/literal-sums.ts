/**
 * Order, sums, differences and quotients of literal natural numbers, computed by the compiler: `Plus<2, 3>` is 5. The result
 * is `number` if an operand is unknown (`number`) or not a natural number. Types only; products are in
 * ../../layout/types/literal-times.ts.
 */
import type { Below, Parsed } from "../../layout/types/literal-times.ts";

type Digit = keyof Sums["0"] & `${number}`;
type Carry = "0" | "1";
// SumsFrom3[4] = "07", two digits; Sums[carry][a][b] is a + b + carry.
type SumsFrom0 = ["00", "01", "02", "03", "04", "05", "06", "07", "08", "09"];
type SumsFrom1 = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10"];
type SumsFrom2 = ["02", "03", "04", "05", "06", "07", "08", "09", "10", "11"];
type SumsFrom3 = ["03", "04", "05", "06", "07", "08", "09", "10", "11", "12"];
type SumsFrom4 = ["04", "05", "06", "07", "08", "09", "10", "11", "12", "13"];
type SumsFrom5 = ["05", "06", "07", "08", "09", "10", "11", "12", "13", "14"];
type SumsFrom6 = ["06", "07", "08", "09", "10", "11", "12", "13", "14", "15"];
type SumsFrom7 = ["07", "08", "09", "10", "11", "12", "13", "14", "15", "16"];
type SumsFrom8 = ["08", "09", "10", "11", "12", "13", "14", "15", "16", "17"];
type SumsFrom9 = ["09", "10", "11", "12", "13", "14", "15", "16", "17", "18"];
type SumsFrom10 = ["10", "11", "12", "13", "14", "15", "16", "17", "18", "19"];
type Sums = {
  "0": [SumsFrom0, SumsFrom1, SumsFrom2, SumsFrom3, SumsFrom4, SumsFrom5, SumsFrom6, SumsFrom7, SumsFrom8, SumsFrom9];
  "1": [SumsFrom1, SumsFrom2, SumsFrom3, SumsFrom4, SumsFrom5, SumsFrom6, SumsFrom7, SumsFrom8, SumsFrom9, SumsFrom10];
};
type NineMinus = ["9", "8", "7", "6", "5", "4", "3", "2", "1", "0"];

/** The digits in reverse order. */
type Reverse<S extends string, Out extends string = ""> = S extends `${infer H}${infer T}`
  ? Reverse<T, `${H}${Out}`>
  : Out;
type WithoutZeros<S extends string> = S extends `0${infer T}` ? (T extends "" ? S : WithoutZeros<T>) : S;
/** The digits of a known natural number; "" for anything else. */
type Digits<N extends number> = number extends N
  ? ""
  : `${N}` extends `-${string}`
    ? ""
    : `${N}` extends `${bigint}`
      ? `${N}`
      : "";

// ---- Order ------------------------------------------------------------------------------------------------------

/** Whether a <= b; undefined if that is unknown. */
export type AtMost<A extends number, B extends number> = [number] extends [A | B]
  ? undefined
  : Order<Digits<A>, Digits<B>> extends infer Known
    ? Known extends ""
      ? undefined
      : Known extends "more"
        ? false
        : true
    : never;
type Order<A extends string, B extends string> = A extends "" ? "" : B extends "" ? "" : OrderOfDigits<A, B, "same">;
/** The longer one is larger; if the lengths are equal, the first digit that differs decides. */
type OrderOfDigits<A extends string, B extends string, Sofar> = A extends `${infer G}${infer T}`
  ? B extends `${infer H extends Digit}${infer U}`
    ? OrderOfDigits<T, U, Sofar extends "same" ? (G extends H ? Sofar : G extends Below[H] ? "less" : "more") : Sofar>
    : "more"
  : B extends ""
    ? Sofar
    : "less";

/** The smaller of two numbers. */
export type Min<A extends number, B extends number> =
  AtMost<A, B> extends infer Known ? (Known extends true ? A : Known extends false ? B : number) : never;

// ---- Sums and differences ---------------------------------------------------------------------------------------

/** a + b. */
export type Plus<A extends number, B extends number> = B extends 0
  ? A
  : Digits<A> extends ""
    ? number
    : Digits<B> extends ""
      ? number
      : Parsed<PlusDigits<Reverse<`${A}`>, Reverse<`${B}`>, "0", "">>;
type PlusDigits<A extends string, B extends string, C extends Carry, Out extends string> = A extends ""
  ? B extends ""
    ? C extends "1"
      ? `1${Out}`
      : Out
    : PlusDigits<"0", B, C, Out>
  : B extends ""
    ? PlusDigits<A, "0", C, Out>
    : A extends `${infer G extends Digit}${infer T}`
      ? B extends `${infer H extends Digit}${infer U}`
        ? Sums[C][G][H] extends `${infer Next extends Carry}${infer D}`
          ? PlusDigits<T, U, Next, `${D}${Out}`>
          : never
        : never
      : never;

/** a - b for b <= a. */
export type Minus<A extends number, B extends number> = B extends 0
  ? A
  : Digits<A> extends ""
    ? number
    : Digits<B> extends ""
      ? number
      : Parsed<MinusDigits<`${A}`, `${B}`>>;
type MinusDigits<A extends string, B extends string> = WithoutZeros<AddComplement<Reverse<A>, Reverse<B>, "1", "">>;
// a - b = a + (999 - b) + 1, without the final carry.
type AddComplement<
  A extends string,
  B extends string,
  C extends Carry,
  Out extends string,
> = A extends `${infer G extends Digit}${infer T}`
  ? B extends `${infer H extends Digit}${infer U}`
    ? Sums[C][G][NineMinus[H]] extends `${infer Next extends Carry}${infer D}`
      ? AddComplement<T, U, Next, `${D}${Out}`>
      : never
    : Sums[C][G]["9"] extends `${infer Next extends Carry}${infer D}`
      ? AddComplement<T, "", Next, `${D}${Out}`>
      : never
  : Out;

// ---- Quotients --------------------------------------------------------------------------------------------------

// Powers of two, by far the most common sizes, are halved together.
type Half = {
  2: 1;
  4: 2;
  8: 4;
  16: 8;
  32: 16;
  64: 32;
  128: 64;
  256: 128;
  512: 256;
  1024: 512;
  2048: 1024;
  4096: 2048;
  8192: 4096;
  16384: 8192;
  32768: 16384;
  65536: 32768;
  131072: 65536;
  262144: 131072;
  524288: 262144;
  1048576: 524288;
};

/** [a / b rounded down, the remainder]; [number, number] if they are unknown or b is 0. */
export type Divide<A extends number, B extends number> = B extends 1
  ? [A, number extends A ? number : 0]
  : Digits<A> extends ""
    ? [number, number]
    : Digits<B> extends "" | "0"
      ? [number, number]
      : A extends B
        ? [1, 0]
        : A extends keyof Half
          ? B extends keyof Half
            ? DividePowers<A, B, A>
            : LongDivide<`${A}`, `${B}`, "0", "">
          : LongDivide<`${A}`, `${B}`, "0", "">;
type DividePowers<A extends keyof Half, B extends keyof Half, All> = Half[B] extends keyof Half
  ? Half[A] extends keyof Half
    ? DividePowers<Half[A], Half[B], All>
    : [0, All]
  : [Half[A], 0];
type LongDivide<
  A extends string,
  B extends string,
  Remainder extends string,
  Out extends string,
> = A extends `${infer D}${infer T}`
  ? Subtracted<WithoutZeros<`${Remainder}${D}`>, B, "0"> extends [infer Q extends string, infer Next extends string]
    ? LongDivide<T, B, Next, `${Out}${Q}`>
    : never
  : [Parsed<WithoutZeros<Out>>, Parsed<Remainder>];
type NextDigit = ["1", "2", "3", "4", "5", "6", "7", "8", "9", never];
/** The quotient of a by b (at most 9) and the remainder. */
type Subtracted<A extends string, B extends string, Times extends Digit> =
  OrderOfDigits<A, B, "same"> extends "less" ? [Times, A] : Subtracted<MinusDigits<A, B>, B, NextDigit[Times]>;
