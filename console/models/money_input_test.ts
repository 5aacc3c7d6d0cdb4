import assert from "node:assert/strict";
import { parseUsd, usdText } from "./money_input.ts";

Deno.test("parseUsd takes amounts, and nothing that could be read in two ways", () => {
  const cases = [
    ["75", 75],
    [" $75.00 ", 75],
    ["0.000000001", 1e-9],
    ["1,284.71", 1_284.71],
    ["1,284,000", 1_284_000],
    ["", null],
    ["75,00", undefined],
    ["-1", undefined],
    ["1e3", undefined],
    ["ten", undefined],
  ] as const;
  for (const [text, expected] of cases) assert.equal(parseUsd(text), expected, text);
});

Deno.test("usdText shows two decimals at least and every one that counts, and is read back as it was", () => {
  const cases = [[250, "250.00"], [0.5, "0.50"], [0.000000001, "0.000000001"], [12.3456, "12.3456"]] as const;
  for (const [usd, text] of cases) {
    assert.equal(usdText(usd), text);
    assert.equal(parseUsd(text), usd);
  }
  assert.equal(usdText(null), "");
});
