/**
 * Statements about types, checked by the compiler only: `Expect<Equal<A, B>>` compiles if A and B are the same type.
 * `any` equals only `any`, and a union is compared whole.
 */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export type Expect<Claim extends true> = Claim;
