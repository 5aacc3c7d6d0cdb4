/**
 * Tests that what does not fit into the memory of a process is refused, at every size of it, and what was there
 * stays.
 */

import assert from "node:assert/strict";
import { MemoryRoom } from "../../server/sandbox/child/memory_room.ts";
import { SandboxError, type StoredEntry } from "../../server/sandbox/sandbox.ts";
import { runIn, runPython, sandboxRig, shown, textOf } from "../support/sandbox.ts";

const MIB = 1024 * 1024;
const LONG = { timeoutMs: 60_000 } as const;

/** A room whose garbage is found by one collection, and freed by the next one at the latest: so does V8 with buffers. */
function room({ limitMib = 128, usedMib = 0, garbageMib = 0 }) {
  const state = { used: usedMib, garbage: garbageMib, found: 0, collections: 0 };
  const collect = () => {
    state.collections++;
    state.found = state.garbage;
    state.garbage = 0;
  };
  return {
    state,
    room: new MemoryRoom({
      limitBytes: limitMib * MIB,
      residentBytes: () => (32 + state.used + state.garbage + state.found) * MIB,
      collectNow: collect,
      collectLater: () => Promise.resolve([collect(), collect()]).then(() => {}),
    }),
  };
}

Deno.test("MemoryRoom has what is free beside its headroom, and collects before it refuses", () => {
  const { room: half, state } = room({ usedMib: 64 });
  assert(half.has(40 * MIB));
  assert(!half.has(49 * MIB));
  state.garbage = 40;
  assert(half.has(40 * MIB));
  assert.equal(state.collections, 4);
});

Deno.test("MemoryRoom collects only where enough was taken since the last time, but for those who know better", async () => {
  const { room: full, state } = room({ usedMib: 120 });
  for (let turn = 0; turn < 10; turn++) assert(!full.has(MIB));
  await full.make(MIB);
  assert.equal(state.collections, 2);
  state.garbage = 5;
  await full.make(MIB);
  assert.equal(state.collections, 4);
  await full.makeAgain(MIB);
  assert.equal(state.collections, 6);
});

const FILL =
  "echo before > before.txt; echo 0123456789 > a; for i in $(seq 18); do cat a a > b; mv b a; done; " +
  "for i in $(seq 200); do cp a b$i 2>&1 || break; done; cat a a a a a a > d; echo $?; sed s/x/y/ a >> d; " +
  "echo $?; echo on";
/** Both commands say so and fail: where there is no room to read the file, it is not written either (2 is sed's own status for that). */
const SHOWN =
  /^cp: cannot copy 'a': No space left on device\n1\n[12]\non\n(?:bash: d: No space left on device\n|(?:cat: a|sed: can't read a): Cannot allocate memory\n){2,7}$/;

for (const memoryMib of [128, 129, 200, 256, 512]) {
  Deno.test(`a container that is full at ${memoryMib} MiB goes on, and keeps what was written`, async () => {
    await using rig = sandboxRig({ memoryMib });
    const process = await rig.open();
    assert.match(shown(await runIn(process, FILL, LONG)), SHOWN);
    assert.equal(await textOf(process, "before.txt"), "before\n");
    const next = await runIn(process, "cat before.txt; rm b[0-9]*; echo room > made; cat made", LONG);
    assert.equal(shown(next), "before\nroom\n");
    process.release(undefined);
  });
}

const stored = (path: string, mib: number): StoredEntry => ({
  entry: { type: "file", path, mode: 0o644, modifiedAt: 0, size: mib * MIB },
  read: () => Promise.resolve(new Uint8Array(mib * MIB)),
});

Deno.test("a container that was stored with more memory loads where it fits, and else names the setting", async () => {
  const entries = [stored("a", 25), stored("b", 12), stored("c", 1)];
  await using small = sandboxRig({ memoryMib: 128 });
  const process = await small.open({ entries });
  assert.equal(shown(await runIn(process, "ls; echo x > d; cat d", LONG)), "a\nb\nc\nx\n");
  process.release(undefined);
  await assert.rejects(
    small.open({ container: "two", entries: [...entries, stored("d", 25), stored("e", 25)] }),
    (error) => error instanceof SandboxError && error.message.includes("sandbox.memory_mib is 128"),
  );
});

Deno.test("the largest file of a container is read and copied in a process of the default size", async () => {
  await using rig = sandboxRig();
  const process = await rig.open({ entries: [stored("a", 25)] });
  const code = "cat a > b; wc -c < b; cat a | wc -c; cp b c; tail -c 3 c | wc -c";
  assert.equal(shown(await runIn(process, code, LONG)), `${25 * MIB}\n${25 * MIB}\n3\n`);
  process.release(undefined);
});

Deno.test("Python without room does not start, and one that needs more gets a MemoryError", async () => {
  await using small = sandboxRig({ memoryMib: 128 });
  const process = await small.open();
  const outcome = await runIn(process, "echo before > a; python3 -c 'print(1)'; echo $?; cat a", LONG);
  assert.equal(shown(outcome), "126\nbefore\nbash: python3: Cannot allocate memory\n");
  process.release(undefined);
  await using large = sandboxRig({ memoryMib: 256 });
  const other = await large.open();
  const code = "open('a', 'w').write('x')\ny = []\nwhile True: y.append(bytearray(10**6))";
  for (const _round of [1, 2]) {
    assert.match(shown(await runPython(other, code, LONG)), /MemoryError\n\[1\]$/);
    assert.equal(await textOf(other, "a"), "x");
  }
  other.release(undefined);
});
