/** Tests that containers have the commands of the tools' description. */

import assert from "node:assert/strict";
import { missingCommands } from "../../server/pipeline/tools/containers/container_commands.ts";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";

/** Commands that models use, of the packages that a Debian has, and some more. */
const everyday = (
  "7z apt apt-get awk base32 base64 basename bash bc bzip2 cal cat chmod cksum clear cmp column comm cp csplit cut " +
  "date dc dd diff dirname du echo egrep env expand expr factor fgrep file find fmt fold gcc git go grep gunzip gzip " +
  "head hexdump hostname id install java join jq kill less ln ls make man md5sum mkdir mkfifo mktemp more mv mysql " +
  "nano nc nl node nohup npm nproc numfmt od openssl paste patch perl php ping pip pip3 printenv printf ps psql pwd " +
  "python python3 readlink realpath rev rg rm rmdir rsync ruby sed seq sh sha1sum sha256sum sha512sum shuf sleep sort " +
  "split sqlite3 ssh stat strings sudo tac tail tar tee test timeout top touch tr tree true truncate tsort uname " +
  "unexpand uniq unzip uptime vi vim watch wc wget which whoami xan xargs xxd xz yes yq zcat zip zstd"
).split(" ");

Deno.test("tools name exactly the everyday commands that containers do not have", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const code = `for c in ${
    everyday.join(" ")
  }; do $c --help </dev/null >/dev/null 2>&1; [ $? = 127 ] && echo $c; done; true`;
  const outcome = await runIn(process, code, { timeoutMs: 60_000 });
  const missing = missingCommands.flatMap(({ names }) => names);
  assert.equal(shown(outcome), missing.sort().map((name) => `${name}\n`).join(""));
  assert.equal(shown(await runIn(process, "sqlite3 x; echo $?")), "127\nbash: sqlite3: command not found\n");
});

/** Patterns, and words that they match and do not match. */
const negated: readonly (readonly [pattern: string, matches: string, other: string])[] = [
  ["*[!0-9]*", "4x", "42"],
  ["[!0-9]", "x", "4"],
  ["[!0-9]*", "x4", "4x"],
  ["*[!0-9]", "4x", "x4"],
  ["a[!a]*[!b]", "abba", "abab"],
  ["[!]]", "a", "]"],
  ["[![:digit:]]", "a", "4"],
  ["[a!]", "'!'", "b"],
  ["[^0-9]", "x", "4"],
];

/** Regular expressions, and words that they match and do not match. */
const marked: readonly (readonly [expression: string, matches: string, other: string])[] = [
  ["[!b]", "b", "c"],
  ["^[!b]$", "'!'", "c"],
  ["a[!]c", "'a!c'", "abc"],
  ["^[!-9]$", "5", "a"],
  ["^[!-9x]+$", "'x!5'", "y"],
  ["^[!^b]$", "'^'", "c"],
  ["^[!a-]$", "-", "b"],
  ["^[!-]$", "'!'", "a"],
  ["^[b!]$", "'!'", "a"],
  ["^[^!]$", "a", "'!'"],
];

Deno.test("[!…] in a regular expression is a set with the mark in it", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  for (const [expression, matches, other] of marked) {
    const code = [matches, other].map((word) => `[[ ${word} =~ ${expression} ]] && echo yes || echo no`).join(
      "\n",
    );
    assert.equal(shown(await runIn(process, code)), "yes\nno\n", expression);
  }
  process.release(undefined);
});

Deno.test("jq refuses filters that take a filter, and nothing that looks like one", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const refused = ["walk(.)", "def f(g): g; f(.)", "def f($n): $n; f(1)", '"x" | walk (.)'];
  for (const program of refused) {
    const result = shown(await runIn(process, `echo 1 | jq '${program}'`));
    assert.match(result, /^jq: error: .* not there: use python3\n\[3\]$/, program);
  }
  const kept = {
    "def f: .+1; f": "2\n",
    '"walk(.)"': '"walk(.)"\n',
    "[.] | map(.+1)[0]": "2\n",
  };
  for (const [program, output] of Object.entries(kept)) {
    assert.equal(shown(await runIn(process, `echo 1 | jq '${program}'`)), output, program);
  }
  process.release(undefined);
});

Deno.test("[!…] in patterns of case and [[ ]] is the opposite of a set", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  for (const [pattern, matches, other] of negated) {
    const code = [matches, other].map((word) =>
      `case ${word} in ${pattern}) echo yes;; *) echo no;; esac; [[ ( ${word} == ${pattern} ) ]] && echo yes || echo no`
    ).join("\n");
    assert.equal(shown(await runIn(process, code)), "yes\nyes\nno\nno\n", pattern);
  }
  process.release(undefined);
});
