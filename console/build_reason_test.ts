import assert from "node:assert/strict";
import { reasonInOutput } from "./build_reason.ts";

const stack = "\n\nStack backtrace:\n   0: <unknown>\n";

Deno.test("reasonInOutput tells folders that cannot be written in plain words", () => {
  const cases = [
    [
      "error: failed to create directory '/x/node_modules': Read-only file system (os error 30)",
      /read-only file/,
    ],
    ["error: failed to create directory '/x': Permission denied (os error 13)", /this user may not write/],
    ["error: write: No space left on device (os error 28)", /the disk is full/],
  ] as const;
  for (const [text, words] of cases) assert.match(reasonInOutput(`${text}${stack}`), words);
});

Deno.test("reasonInOutput keeps what Deno says of anything else, on one line without stack and colours", () => {
  const text = "\u001b[31merror\u001b[0m: Failed fetching the package.\n  Caused by: no route (os error 113)";
  assert.equal(
    reasonInOutput(`${text}${stack}`),
    "Failed fetching the package. Caused by: no route",
  );
});

Deno.test("reasonInOutput keeps the message of an error that was thrown, and no line of the source or the stack", () => {
  const thrown = [
    "error: Uncaught (in promise) Error: Build failed with 1 error:",
    'error: Could not resolve "a.ts"',
    "  let error = new Error(text);",
    "              ^",
    "    at fail (file:///x/main.js:1:2)",
    "    at ext:deno_node/_events.mjs:4:461",
  ].join("\n");
  assert.equal(
    reasonInOutput(`${thrown}${stack}`),
    'Uncaught (in promise) Error: Build failed with 1 error: Could not resolve "a.ts"',
  );
});
