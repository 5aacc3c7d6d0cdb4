import assert from "node:assert/strict";
import { cleanFileName } from "./file_name.ts";

Deno.test("cleanFileName keeps the last part of a path, and refuses a step in the tree", () => {
  const kept = [["a.txt", "a.txt"], ["x/y/a.txt", "a.txt"], ["C:\\x\\a.txt", "a.txt"], ["..a", "..a"], [
    "a\u0000b",
    "ab",
  ]];
  for (const [name = "", clean] of kept) assert.equal(cleanFileName(name), clean);
  for (const name of ["", " ", ".", "..", "x/..", "x\\..", "x/", "\u202e"]) {
    assert.throws(() => cleanFileName(name), /its name is empty/, JSON.stringify(name));
  }
});
