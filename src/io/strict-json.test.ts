/** The strict JSON reader agrees with JSON.parse wherever both answer, and refuses what may be misread. */
import { expect, test } from "vitest";
import { mutate, seededRandom } from "../../test/support/files.ts";
import { type JsonNode, parseStrictJson } from "./strict-json.ts";

class Refused extends Error {}
const parse = (text: string): JsonNode =>
  parseStrictJson(text, (problem, offset) => {
    throw new Refused(`${problem} at ${offset}`);
  });

function plain(node: JsonNode): unknown {
  switch (node.kind) {
    case "object":
      return Object.fromEntries([...node.entries].map(([key, value]) => [key, plain(value)]));
    case "array":
      return node.items.map(plain);
    case "number":
      return Number(node.text);
    default:
      return node.value;
  }
}

test.each([
  ["{", /has its end where a key is expected at 1/],
  ['{"a":1,}', /has "}" where a key is expected at 7/],
  ["[1,]", /has "\]" where a value is expected at 3/],
  ["[1 2]", /has "2" where "," or "\]" is expected at 3/],
  ['{"a" 1}', /has "1" where ":" is expected at 5/],
  ['{"a":1,"\\u0061":2}', /has the key "a" twice at 7/],
  ['{"x":{"a":1,"b":2,"a":3}}', /has the key "a" twice at 18/],
  ["01", /has "1" after its end at 1/],
  ["+1", /has "\+" where a value is expected at 0/],
  ["1.", /has "\." after its end at 1/],
  ["NaN", /has "N" where a value is expected at 0/],
  ["'a'", /has "'" where a value is expected at 0/],
  ['"a', /a string without an end at 0/],
  ['"a\nb"', /a control character in a string at 2/],
  ['"\\x41"', /an unknown escape in a string at 1/],
  ['"\\u12G4"', /an unknown escape in a string at 1/],
  ['"\\ud800"', /a lone surrogate in a string at 0/],
  ["{} x", /has "x" after its end at 3/],
  ["", /has its end where a value is expected at 0/],
  ["[".repeat(100_000), /nested more than 64 deep at 65/],
])("%j is refused with its place", (text, message) => {
  expect(() => parse(text)).toThrow(message);
});

test.each([
  '{"__proto__":{"a":[1,-2.5e3,true,false,null,"\\n\\u00e9\\ud83d\\ude00/\\/"]},"":[]}',
  " \t\r\n[ 0 , -0 , 1E5 , { } ]\n ",
  '"\u007f\u2028"',
])("%j parses as in JSON.parse", (text) => {
  expect(plain(parse(text))).toEqual(JSON.parse(text));
});

test("numbers stay as they are written", () => {
  expect(parse("[1.0,18446744073709551615]")).toMatchObject({
    items: [{ text: "1.0" }, { text: "18446744073709551615" }],
  });
});

test("on 20,000 mutated texts it answers as JSON.parse, or refuses a key given twice, a lone surrogate or a deep one", () => {
  const random = seededRandom(5);
  const text =
    '{"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"é":[true,null,-1.5e3,"\\u0041\\n"],"__metadata__":{}}';
  const original = new TextEncoder().encode(text);
  let answers = 0;
  for (let i = 0; i < 20_000; i++) {
    const mutated = new TextDecoder().decode(mutate(original, original.length, random));
    let expected: unknown;
    let isJson = true;
    try {
      expected = JSON.parse(mutated);
    } catch {
      isJson = false;
    }
    try {
      expect(plain(parse(mutated)), mutated).toEqual(expected);
      answers++;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (isJson) expect(error.message).toMatch(/twice|surrogate/);
    }
  }
  expect(answers).toBeGreaterThan(500);
});
