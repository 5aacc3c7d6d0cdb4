/** The tree of a container's files: links, limits, and what has changed. */

import assert from "node:assert/strict";
import { FileError, type FileErrorCode } from "../../server/sandbox/child/files/file_error.ts";
import { contentOf } from "../../server/sandbox/child/files/file_nodes.ts";
import { FileTree } from "../../server/sandbox/child/files/file_tree.ts";
import { TreeChanges } from "../../server/sandbox/child/files/tree_changes.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function rig({ maxBytes = 1_000, maxNodes = 100 } = {}) {
  let now = 0;
  const tree = new FileTree({
    maxBytes,
    maxNodes,
    room: { has: () => true, freed: () => {} },
    now: () => ++now,
  });
  const changes = new TreeChanges({ tree, isWatched: (path) => path.startsWith("/h/") });
  tree.makeFolder("/h", true);
  return {
    tree,
    text: (path: string) => new TextDecoder().decode(tree.read(path)),
    write: (path: string, text: string) => tree.write(path, bytes(text)),
    changed: () => changes.take().map(({ type, path }) => `${type === "deleted" ? "-" : "+"}${path}`),
  };
}

const fails = (code: FileErrorCode) => (error: unknown) => error instanceof FileError && error.code === code;

Deno.test("FileTree follows links in the middle of a path and at its end, and says where one goes in circles", () => {
  const { tree, text, write } = rig();
  tree.makeFolder("/h/d", false);
  tree.makeLink("d", "/h/l");
  tree.makeLink("../h/d/f", "/h/to_file");
  write("/h/l/f", "one");
  assert.equal(text("/h/d/f"), "one");
  write("/h/to_file", "two");
  assert.equal(text("/h/l/../d/f"), "two");
  assert.equal(tree.node("/h/to_file", { operation: "lstat", keepLast: true }).type, "link");
  tree.makeLink("b", "/h/a");
  tree.makeLink("a", "/h/b");
  assert.throws(() => tree.read("/h/a"), fails("ELOOP"));
  assert.throws(() => tree.read("/h/gone/x"), fails("ENOENT"));
  assert.throws(() => tree.read("/h/d/f/x"), fails("ENOTDIR"));
  assert.throws(() => tree.read("/h/d"), fails("EISDIR"));
  assert.throws(() => tree.read("/h/\0"), fails("EINVAL"));
});

Deno.test("hard links share their content, which lasts as long as one of them", () => {
  const { tree, text, write } = rig();
  write("/h/a", "one");
  tree.linkFile("/h/a", "/h/b");
  tree.append("/h/b", bytes(" more"));
  assert.equal(text("/h/a"), "one more");
  tree.remove("/h/a");
  assert.equal(text("/h/b"), "one more");
});

Deno.test("FileTree moves as POSIX does: over a file, into itself not, over a full folder not", () => {
  const { tree, text, write } = rig();
  write("/h/a", "a");
  write("/h/b", "b");
  tree.move("/h/a", "/h/b");
  assert.equal(text("/h/b"), "a");
  tree.makeFolder("/h/d/e", true);
  assert.throws(() => tree.move("/h/d", "/h/d/e/f"), fails("EINVAL"));
  tree.makeFolder("/h/x", false);
  assert.throws(() => tree.move("/h/x", "/h/d"), fails("ENOTEMPTY"));
  assert.throws(() => tree.move("/h/b", "/h/d"), fails("EISDIR"));
  assert.throws(() => tree.move("/h/d", "/h/b"), fails("ENOTDIR"));
});

Deno.test("FileTree ends at its bytes and nodes, and gives back what is removed", () => {
  const { tree, write } = rig({ maxBytes: 10, maxNodes: 4 });
  write("/h/a", "12345");
  assert.throws(() => write("/h/b", "123456"), fails("ENOSPC"));
  write("/h/a", "1234567890");
  assert.throws(() => tree.append("/h/a", bytes("x")), fails("ENOSPC"));
  write("/h/c", "");
  assert.throws(() => write("/h/d", ""), fails("ENOSPC"));
  tree.remove("/h/a");
  write("/h/d", "1234567890");
});

Deno.test("writeAt and resize fill gaps with zeros, also in a file that has no name any more", () => {
  const { tree, text, write } = rig();
  const file = write("/h/a", "abc");
  tree.writeAt(file, { offset: 5, bytes: bytes("x") });
  assert.equal(text("/h/a"), "abc\0\0x");
  tree.resize(file, 1);
  tree.resize(file, 3);
  assert.equal(text("/h/a"), "a\0\0");
  tree.remove("/h/a");
  tree.writeAt(file, { offset: 0, bytes: bytes("z") });
  assert.equal(new TextDecoder().decode(contentOf(file)), "z\0\0");
});

Deno.test("TreeChanges tells what has changed since the last look, each once and folders first", () => {
  const { tree, write, changed } = rig();
  write("/h/a", "1");
  tree.makeFolder("/h/d", false);
  write("/h/d/b", "2");
  assert.deepEqual(changed(), ["+/h/d", "+/h/a", "+/h/d/b"]);
  assert.deepEqual(changed(), []);
  tree.setTime("/h/a", 0);
  write("/outside", "x");
  assert.deepEqual(changed(), ["+/h/a"]);
  tree.move("/h/d", "/h/e");
  assert.deepEqual(changed(), ["-/h/d", "-/h/d/b", "+/h/e", "+/h/e/b"]);
  tree.linkFile("/h/a", "/h/c");
  tree.remove("/h/a");
  assert.deepEqual(changed(), ["-/h/a", "+/h/c"]);
});
