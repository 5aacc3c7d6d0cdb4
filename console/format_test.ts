import assert from "node:assert/strict";
import { formatMs, formatPercent, formatUsd, modelNames } from "./format.ts";

Deno.test("formatUsd never shows an amount as nothing", () => {
  const cases: readonly (readonly [usd: number, digits: 2 | 4 | 6, text: string])[] = [
    [0, 2, "$0.00"],
    [0.004, 2, "<$0.01"],
    [0.005, 2, "$0.01"],
    [0.00004, 4, "<$0.0001"],
    [0.0000001, 6, "<$0.000001"],
    [-0.004, 2, "-$0.00"],
    [12, 2, "$12.00"],
  ];
  for (const [usd, digits, text] of cases) assert.equal(formatUsd(usd, digits), text);
});

Deno.test("formatPercent shows no part as nothing and none as all", () => {
  const cases: readonly (readonly [share: number, text: string])[] = [
    [0, "0 %"],
    [0.00001, "<0.1 %"],
    [0.00049, "<0.1 %"],
    [0.0005, "0.1 %"],
    [0.059, "5.9 %"],
    [0.91, "91 %"],
    [0.9949, "99 %"],
    [0.997, ">99 %"],
    [0.1 + 0.2 + 0.7, "100 %"],
    [1 - 2 ** -53, "100 %"],
    [1.2, "120 %"],
  ];
  for (const [share, text] of cases) assert.equal(formatPercent(share), text);
});

Deno.test("formatMs never shows a time as none", () => {
  const cases: readonly (readonly [ms: number, text: string, decimals?: number])[] = [
    [0, "0 ms"],
    [0.04, "<1 ms"],
    [0.5, "1 ms"],
    [0.04, "<0.1 ms", 1],
    [840, "840 ms"],
    [1_240, "1.24 s"],
  ];
  for (const [ms, text, decimals] of cases) assert.equal(formatMs(ms, decimals), text);
});

Deno.test("modelNames gives whole ids where the short ones collide", () => {
  const names = modelNames(["openai/gpt-oss", "groq/gpt-oss", "openai/gpt-5"]);
  assert.deepEqual([...names], [
    ["openai/gpt-oss", "openai/gpt-oss"],
    ["groq/gpt-oss", "groq/gpt-oss"],
    ["openai/gpt-5", "gpt-5"],
  ]);
});
