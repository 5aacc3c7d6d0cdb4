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
