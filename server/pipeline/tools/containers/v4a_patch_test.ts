import assert from "node:assert/strict";
import { createByPatch, PatchError, updateByPatch } from "./v4a_patch.ts";

const file = "import a\n\ndef f():\n    return 1\n\ndef g():\n    return 1\n";

Deno.test("createByPatch takes the lines of a new file", () => {
  assert.equal(createByPatch("+one\n+\n+two"), "one\n\ntwo\n");
  assert.equal(createByPatch("+one\n"), "one\n");
  assert.throws(() => createByPatch("+one\ntwo"), /Line 2 of the diff does not begin with \+/);
});

Deno.test("updateByPatch puts a hunk where its old lines are", () => {
  assert.equal(
    updateByPatch(file, "@@\n def f():\n-    return 1\n+    return 2"),
    file.replace("return 1", "return 2"),
  );
  assert.equal(updateByPatch("a\nb", "@@\n-b\n+c"), "a\nc");
  assert.equal(updateByPatch("a\nb\n", "@@\n-a\n-b"), "");
  assert.equal(updateByPatch("", "@@\n+x"), "x\n");
});

Deno.test("updateByPatch looks behind the line of an @@, and goes on from hunk to hunk", () => {
  assert.equal(updateByPatch(file, "@@ def g():\n-    return 1\n+    return 3"), file.replace(/1\n$/, "3\n"));
  assert.equal(
    updateByPatch(
      file,
      "@@ def f():\n-    return 1\n+    return 2\n@@ def g():\n-    return 1\n+    return 3",
    ),
    file.replace("1", "2").replace(/1\n$/, "3\n"),
  );
  assert.equal(
    updateByPatch(file, "@@ def f():\n+    x = 1"),
    file.replace("def f():\n", "def f():\n    x = 1\n"),
  );
  assert.equal(updateByPatch("a\nb\n", "@@\n+c\n*** End of File"), "a\nb\nc\n");
});

Deno.test("updateByPatch forgives spaces in the lines that stay, and keeps the file's own", () => {
  assert.equal(updateByPatch("  a  \nb\n", "@@\n a\n-b\n+c"), "  a  \nc\n");
});

Deno.test("updateByPatch says where a hunk does not fit", () => {
  assert.throws(
    () => updateByPatch(file, "@@\n-gone\n+here"),
    /Hunk 1 does not fit: its old lines, which begin with "gone"/,
  );
  assert.throws(
    () => updateByPatch(file, "@@ class C:\n-a\n+b"),
    /the line "class C:" behind its @@ is not in the file/,
  );
  assert.throws(() => updateByPatch(file, "@@\n def g():\n@@\n-import a"), /Hunk 2 .* behind line 6/);
  assert.throws(() => updateByPatch(file, "@@\n*what"), /begins with "\*"/);
  assert.throws(() => updateByPatch(file, ""), PatchError);
});

Deno.test("updateByPatch keeps the line breaks of Windows, and an end without one", () => {
  assert.equal(updateByPatch("a\r\nb\r\n", "@@\n a\n-b\n+c\n+d"), "a\r\nc\r\nd\r\n");
  assert.equal(updateByPatch("a\r\nb", "@@\r\n-b\r\n+c\r\n"), "a\r\nc");
  assert.equal(updateByPatch("a\r\nb\n", "@@\n-b\n+c"), "a\r\nc\n");
  assert.equal(updateByPatch("a\nb\n", "@@\n a\n-b\n+c\n \n"), "a\nc\n");
});

Deno.test("updateByPatch puts added lines where they stand, also beside lines that look the same", () => {
  assert.equal(
    updateByPatch("  {\n  }\n", "@@\n {\n+}\n }"),
    "  {\n}\n  }\n",
  );
  assert.equal(updateByPatch("a\na\n", "@@\n-a\n+b\n a"), "b\na\n");
});

Deno.test("updateByPatch lets old lines decide where a single @@ names no line, or one before", () => {
  assert.equal(
    updateByPatch(file, "@@ the function f\n-import a\n+import b"),
    file.replace("import a", "import b"),
  );
  const twice =
    "@@ def f():\n-    return 1\n+    return 2\n@@ def f():\n def g():\n-    return 1\n+    return 3";
  assert.equal(updateByPatch(file, twice), file.replace("1", "2").replace(/1\n$/, "3\n"));
  assert.throws(() => updateByPatch(file, "@@ nowhere\n+x"), /"nowhere" behind its @@ is not in the file/);
  assert.throws(() => updateByPatch(file, "@@ nowhere\n@@ def f():\n-    return 1"), /"nowhere"/);
  assert.equal(updateByPatch("a\nb\na\n", "@@\n-b\n+c\n*** End of File"), "a\nc\na\n");
  assert.equal(updateByPatch("a\nb\na\n", "@@\n-a\n+c\n*** End of File"), "a\nb\nc\n");
});

Deno.test("patches may stand in the envelope of a patch of one file, not of several", () => {
  const wrapped = "*** Begin Patch\n*** Update File: a.py\n@@\n-import a\n+import b\n*** End Patch\n";
  assert.equal(updateByPatch(file, wrapped), file.replace("import a", "import b"));
  assert.equal(createByPatch("*** Begin Patch\n*** Add File: a\n+one\n*** End Patch"), "one\n");
  assert.throws(
    () => updateByPatch(file, "@@\n-import a\n+import b\n*** Update File: b.py\n@@\n-x"),
    /a diff is of one file/,
  );
});

Deno.test("updateByPatch takes large files, and gives up before it takes long", () => {
  const large = "line\n".repeat(400_000);
  assert.equal(updateByPatch(`${large}last\n`, "@@\n-last\n+end"), `${large}end\n`);
  const hostile = `@@\n${"-line\n".repeat(10_000)}-other`;
  assert.throws(() => updateByPatch(large, hostile), /take too long to find/);
  const long = `${" ".repeat(100_000)}\n`.repeat(20);
  assert.throws(() => updateByPatch(long, "@@\n-  x\n".repeat(50_000)), PatchError);
  assert.throws(() => updateByPatch("x".repeat(5_000_000), "@@\n-x"), /cannot be patched/);
});
