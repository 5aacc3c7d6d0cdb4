import assert from "node:assert/strict";
import { formatUsd } from "./format.ts";
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
