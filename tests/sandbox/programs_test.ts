/**
 * Commands that the engine `virtual` has of its own give what Debian's programs give (`debian/programs/record.ts`):
 * output, words, status; with files that are missing, folders, bytes that are no text, and the standard input.
 */

import assert from "node:assert/strict";
import { runIn, sandboxRig } from "../support/sandbox.ts";
import { allCalls, fixtures, plainWords, type ProgramResult } from "./debian/programs/cases.ts";
import results from "./debian/programs/results.json" with { type: "json" };

const recorded = new Map<string, ProgramResult>(Object.entries(results));
const calls = await allCalls();

/** Calls that are refused: what they ask for is not there, or Debian's words are its whole help. */
const refused: ReadonlySet<string> = new Set([
  "sed",
  "sed --nonsense letters",
  "diff -c letters more | sed 1,2d",
  "diff -y -W 40 letters more",
  "diff -B <(printf 'a\\n\\nb\\n') <(printf 'a\\nb\\n')",
  "diff -e letters more",
  "xxd -b letters | head -n 2",
  "stat -c '%h %n' letters",
  "printf '%x\\n' -1",
  "printf '%G\\n' 1e10",
  "grep -F -e a -e b letters",
]);

const PATIENT = { timeoutMs: 60_000 } as const;

Deno.test("every call of a program has its recorded result", () => {
  assert.deepEqual([...recorded.keys()].sort(), calls.map(({ code }) => code).sort());
  assert.deepEqual({ calls: calls.length, refused: refused.size }, { calls: 379, refused: 11 });
  for (const code of refused) assert(recorded.has(code), code);
});

Deno.test("programs of a container give what Debian's give, or refuse with words", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  await runIn(process, fixtures, PATIENT);
  const different: string[] = [];
  for (const { code } of calls) {
    const outcome = await runIn(process, code, PATIENT);
    assert.equal(outcome.type, "ended", code);
    if (outcome.type !== "ended") continue;
    const given = {
      stdout: plainWords(outcome.stdout),
      stderr: plainWords(outcome.stderr),
      status: outcome.exitCode,
    };
    const wanted = recorded.get(code) ?? assert.fail(code);
    const isEqual = JSON.stringify(given) ===
      JSON.stringify({ ...wanted, stdout: plainWords(wanted.stdout) });
    if (isEqual) assert(!refused.has(code), `${code} is not refused`);
    else if (!refused.has(code) || given.stdout !== "" || given.stderr === "") {
      different.push(`${code}\n  ${JSON.stringify(given)}\n  instead of ${JSON.stringify(wanted)}`);
    }
  }
  console.log(
    `${calls.length} calls of programs: ${calls.length - refused.size} equal, ${refused.size} refused`,
  );
  assert.deepEqual(different, []);
});

/** Calls for which there is no room. */
const withoutRoom: readonly string[] = [
  "head -c 100M /dev/zero > new",
  "truncate -s 100M new",
  "truncate -s +2G small",
];
const FILL = "for i in $(seq 100); do head -c 8M /dev/zero > fill$i || break; done";

Deno.test("programs of a container say that there is no room, and leave files as they were", async () => {
  await using rig = sandboxRig({ memoryMib: 256 });
  const process = await rig.open();
  await runIn(process, `echo kept > small; ${FILL}`, PATIENT);
  for (const code of withoutRoom) {
    const outcome = await runIn(process, `${code}; echo $?; rm -f new; cat small`, PATIENT);
    assert.match(outcome.stdout, /^[1-9]\d*\nkept\n$/, `${code}: ${outcome.stderr}`);
    assert.match(outcome.stderr, /No space left on device|Cannot allocate memory|File too large/, code);
  }
});
