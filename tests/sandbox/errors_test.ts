/**
 * Tests that a fault within a command is an error of that command, in bash's words, and that what was done before is
 * kept.
 */

import assert from "node:assert/strict";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";

interface Mishap {
  readonly code: string;
  /** Text that it prints on both outputs. */
  readonly shows: string;
}

const LONG = "a".repeat(300);
const NOT_FOUND = "No such file or directory";

/** Each begins in an empty folder; the statuses are those of bash 5.2. */
const mishaps: Readonly<Record<string, Mishap>> = {
  "a folder that is missing": {
    code: "echo x > missing/dir/file; echo $?",
    shows: `1\nbash: missing/dir/file: ${NOT_FOUND}\n`,
  },
  "a folder that is missing, with more behind": {
    code: "echo x >> missing/file; echo x &> missing/file; : > missing/file; echo $?",
    shows: `1\n${`bash: missing/file: ${NOT_FOUND}\n`.repeat(3)}`,
  },
  "a folder that is missing, for a loop": {
    code: "for i in 1 2; do echo $i; done > missing/f; echo $?",
    shows: `1\nbash: missing/f: ${NOT_FOUND}\n`,
  },
  "a folder that is missing, for a group": {
    code: "{ echo 1; } > missing/f; (echo 2) > missing/f; echo $?",
    shows: `1\n${`bash: missing/f: ${NOT_FOUND}\n`.repeat(2)}`,
  },
  "a folder that is missing, for a descriptor": {
    code: "exec 3> missing/f; echo $?",
    shows: `1\nbash: missing/f: ${NOT_FOUND}\n`,
  },
  "a folder that is missing, in a function, a substitution and eval": {
    code: "f() { echo x > missing/f; echo in; }; f; y=$(echo z > missing/f; echo sub); echo $y; " +
      "eval 'echo x > missing/f; echo evaluated'",
    shows: `in\nsub\nevaluated\n${`bash: missing/f: ${NOT_FOUND}\n`.repeat(3)}`,
  },
  "a list whose left side cannot be written": {
    code: "set -e; echo x > missing/f || echo handled; ! echo x > missing/f; echo on",
    shows: `handled\non\n${`bash: missing/f: ${NOT_FOUND}\n`.repeat(2)}`,
  },
  "a name of more than 255 characters": {
    code: `echo x > ${LONG}; echo $?; touch ${LONG}; echo $?; mkdir ${LONG}; echo $?; cat ${LONG}; echo $?`,
    shows:
      `1\n1\n1\n1\nbash: ${LONG}: File name too long\ntouch: cannot touch '${LONG}': File name too long\n` +
      `mkdir: cannot create directory '${LONG}': File name too long\ncat: ${LONG}: File name too long\n`,
  },
  "a name of more than 255 bytes": {
    code: `echo x > ${"ä".repeat(130)}; echo $?`,
    shows: `1\nbash: ${"ä".repeat(130)}: File name too long\n`,
  },
  "a folder that is read": {
    code: "mkdir d; cat d; echo $?; cat < d; echo $?; wc -l d >/dev/null; echo $?",
    shows: "1\n1\n1\ncat: d: Is a directory\nbash: d: Is a directory\nwc: d: Is a directory\n",
  },
  "a folder that is written": {
    code: "mkdir d; echo x > d; echo $?; echo x | tee d >/dev/null; echo $?",
    shows: "1\n1\nbash: d: Is a directory\ntee: d: Is a directory\n",
  },
  "a loop of links": {
    code: "ln -s b a; ln -s a b; cat a; echo $?; echo x > a; echo $?; cd a; echo $?",
    shows:
      "1\n1\n1\ncat: a: Too many levels of symbolic links\nbash: a: Too many levels of symbolic links\n" +
      "bash: cd: a: Too many levels of symbolic links\n",
  },
  "a file where a folder should be": {
    code: "echo x > f; echo y > f/g; echo $?; cat f/g; echo $?; mkdir f/h; echo $?; cd f; echo $?",
    shows: "1\n1\n1\n1\nbash: f/g: Not a directory\ncat: f/g: Not a directory\n" +
      "mkdir: cannot create directory 'f/h': Not a directory\nbash: cd: f: Not a directory\n",
  },
  "a file that is missing": {
    code: "cat < missing; echo $?; cat missing; echo $?; . ./missing; echo $?; ./missing; echo $?",
    shows: `1\n1\n1\n127\nbash: missing: ${NOT_FOUND}\ncat: missing: ${NOT_FOUND}\n` +
      `bash: ./missing: ${NOT_FOUND}\nbash: ./missing: ${NOT_FOUND}\n`,
  },
};

Deno.test("what is thrown within a command is an error of that command", async (t) => {
  await using rig = sandboxRig();
  const process = await rig.open();
  for (const [name, { code, shows }] of Object.entries(mishaps)) {
    await t.step(name, async () => {
      const outcome = await runIn(process, `mkdir -p /home/user/t; cd /home/user/t; ${code}`);
      assert.equal(shown(outcome), shows);
      await runIn(process, "cd; rm -rf t");
    });
  }
});

Deno.test("a full container refuses what does not fit, and keeps what was written before", async () => {
  await using rig = sandboxRig({ memoryMib: 128 });
  const process = await rig.open();
  const outcome = await runIn(
    process,
    "echo before > before.txt; echo 0123456789 > a; for i in $(seq 18); do cat a a > b; mv b a; done; for i in $(seq 30); do cp a b$i || break; done; " +
      "echo $i; cat a a > d; echo $?; echo on",
    { timeoutMs: 30_000 },
  );
  assert.match(shown(outcome), /^2\d\n1\non\n/);
  // How much is free changes with the garbage that was collected: the copy ends at its writing or its reading.
  assert.match(shown(outcome), /bash: d: No space left on device|cat: a: Cannot allocate memory/);
  assert.equal(outcome.type, "ended");
  if (outcome.type !== "ended") return;
  const written = outcome.changes.map((change) => change.type === "written" ? change.entry.path : "");
  assert(written.includes("before.txt") && written.includes("b1"), written.join());
});

Deno.test("too many files are refused, and those that fit are kept", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const code =
    "mkdir /tmp/d; cd /tmp/d; for i in $(seq 21000); do : > f$i || break; done; cd; echo kept > k; echo $?";
  const outcome = await runIn(process, code, { timeoutMs: 60_000 });
  assert.match(shown(outcome), /^1\nbash: .*: No space left on device\n/s);
});
