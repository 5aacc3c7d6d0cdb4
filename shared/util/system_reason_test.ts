import assert from "node:assert/strict";
import { systemReason, systemSentence } from "./system_reason.ts";

const coded = (code: string, message: string) => Object.assign(new Error(message), { code });

const rows: readonly (readonly [unknown, string])[] = [
  [
    new Deno.errors.NotFound("No such file or directory (os error 2): open '/x'"),
    "there is no such file or folder",
  ],
  [new Deno.errors.PermissionDenied("Permission denied (os error 13)"), "this user may not read or write it"],
  [
    new Deno.errors.NotCapable('Requires all access to "/proc/x", run again with the --allow-all flag'),
    "the program was started without the permission to read or write it",
  ],
  [new Deno.errors.NotADirectory("Not a directory"), "a part of the path is a file and no folder"],
  [new Deno.errors.AlreadyExists("File exists"), "something else of this name is there"],
  [coded("ENOSPC", "No space left on device (os error 28): write"), "the disk is full"],
  [coded("EROFS", "Read-only file system (os error 30): mkdir '/x'"), "the file system is read-only"],
  [new Error("Odd thing (os error 99): open '/x'"), "Odd thing"],
  [new Error("Two\nlines"), "Two lines"],
  ["a text", "a text"],
];

Deno.test("systemReason tells errors of the file system without the words of the run-time", () => {
  for (const [thrown, words] of rows) assert.equal(systemReason(thrown), words);
});

Deno.test("systemSentence names the path of an error of the file system, and no other error", () => {
  const [notFound, , notCapable] = rows.map(([thrown]) => thrown);
  assert.equal(systemSentence(notFound), "/x cannot be used: there is no such file or folder");
  assert.match(
    systemSentence(notCapable) ?? "",
    /^\/proc\/x cannot be used: the program was started without/,
  );
  for (
    const other of [
      new TypeError("x is undefined"),
      new Error("'/x'"),
      "'/x'",
      new Deno.errors.NotFound("gone"),
    ]
  ) {
    assert.equal(systemSentence(other), undefined);
  }
});
