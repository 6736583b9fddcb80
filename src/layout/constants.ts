/**
 * Static integers by name: `_8` is `int(8)` and prints as it is spelled. All have the type of their value, `Static<8>`.
 * `_` alone is another thing: all of a mode, in coord.ts.
 */
import { int, type Static } from "./int.ts";

export const _0: Static<0> = /* @__PURE__ */ int(0);
export const _1: Static<1> = /* @__PURE__ */ int(1);
export const _2: Static<2> = /* @__PURE__ */ int(2);
export const _3: Static<3> = /* @__PURE__ */ int(3);
export const _4: Static<4> = /* @__PURE__ */ int(4);
export const _5: Static<5> = /* @__PURE__ */ int(5);
export const _6: Static<6> = /* @__PURE__ */ int(6);
export const _7: Static<7> = /* @__PURE__ */ int(7);
export const _8: Static<8> = /* @__PURE__ */ int(8);
export const _9: Static<9> = /* @__PURE__ */ int(9);
export const _10: Static<10> = /* @__PURE__ */ int(10);
export const _12: Static<12> = /* @__PURE__ */ int(12);
export const _16: Static<16> = /* @__PURE__ */ int(16);
export const _32: Static<32> = /* @__PURE__ */ int(32);
export const _64: Static<64> = /* @__PURE__ */ int(64);
export const _128: Static<128> = /* @__PURE__ */ int(128);
export const _256: Static<256> = /* @__PURE__ */ int(256);
export const _512: Static<512> = /* @__PURE__ */ int(512);
export const _1024: Static<1024> = /* @__PURE__ */ int(1024);
