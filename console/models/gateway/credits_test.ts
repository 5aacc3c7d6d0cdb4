import assert from "node:assert/strict";
import { parseChange } from "./credits.ts";

Deno.test("parseChange reads amounts above and below nothing", () => {
  const cases = [
    ["250", 250],
    [" -40.50 ", -40.5],
    ["−1,250", -1250],
    ["$5", 5],
    ["-$5", -5],
    ["", undefined],
    ["-", undefined],
    ["--5", undefined],
    ["many", undefined],
  ] as const;
  for (const [text, usd] of cases) assert.equal(parseChange(text), usd, text);
});
