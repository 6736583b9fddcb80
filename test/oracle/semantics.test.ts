/** PyTorch's recorded snippets about storage, views, versions, overlap, gradients and dispatch, each transcribed; every one is here, or says what it needs. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readRecords } from "./runner.ts";
import { beyond, judgeSnippet, snippets } from "./torch-semantics.ts";

const file = fileURLToPath(new URL("./records/torch/semantics.jsonl", import.meta.url));
const { records } = readRecords(file);
const nameOf = (fields: (typeof records)[number]): string => String(fields.name);
const topics = ["storage", "view", "version", "overlap", "autograd", "forward_ad", "dispatch"];

describe.each(topics)("%s", (topic) => {
  const transcribed = records.filter((fields) => fields.topic === topic && snippets[nameOf(fields)]);
  test.each(transcribed.map((fields) => [nameOf(fields), fields] as const))("%s", (_name, fields) => {
    expect(judgeSnippet(fields)).toMatchObject({ kind: "passed" });
  });
});

test("every snippet of these topics is transcribed or states its requirements, and none is both", () => {
  const ours = records.filter(({ topic }) => topics.includes(String(topic))).map(nameOf);
  expect([...Object.keys(snippets), ...Object.keys(beyond)].sort()).toEqual(ours.sort());
});
