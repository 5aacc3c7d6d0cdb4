import assert from "node:assert/strict";
import { formatByteLimit } from "./byte_size.ts";

Deno.test("formatByteLimit names a limit of any size", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "0 bytes"],
    [1, "1 byte"],
    [100, "100 bytes"],
    [1_024, "1 KiB"],
    [50_000, "48.8 KiB"],
    [1_048_576, "1 MiB"],
    [1_572_864, "1.5 MiB"],
    [33_554_432, "32 MiB"],
  ];
  for (const [bytes, text] of cases) assert.equal(formatByteLimit(bytes), text);
});
