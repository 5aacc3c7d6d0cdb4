import assert from "node:assert/strict";
import { runWork, type Work, WorkLeft } from "./run_work.ts";

/** A clock that moves with the work, and pauses that end when the test says so. */
function rig() {
  let now = 0;
  const waiting: (() => void)[] = [];
  const said: string[] = [];
  const pause = () => new Promise<void>((resolve) => waiting.push(resolve));
  const deps = { clock: { monotonic: () => now }, pause };
  function* work(name: string, ms: number): Work<string> {
    for (let spent = 0; spent < ms; spent++) {
      now++;
      said.push(name);
      yield;
    }
    return name;
  }
  const endPause = async () => {
    for (let task = 0; task < 20; task++) await Promise.resolve();
    const pauses = waiting.splice(0);
    pauses.forEach((resolve) => resolve());
    for (let task = 0; task < 20; task++) await Promise.resolve();
    return pauses.length;
  };
  const spent = () => said.splice(0).join("");
  return { deps, work, endPause, spent };
}

Deno.test("short work is done at once", () => {
  const { deps, work, spent } = rig();
  assert.equal(runWork(work("a", 4), deps), "a");
  assert.equal(spent(), "aaaa");
});

Deno.test("long works take turns, one between two pauses, however many there are", async () => {
  const { deps, work, endPause, spent } = rig();
  const works = [..."abc"].map((name) => runWork(work(name, 19), deps));
  assert.equal(spent(), "aaaaaabbcc", "who comes while another one waits gets a millisecond");
  const turns: string[] = [];
  for (let turn = 0; turn < 9; turn++) {
    assert.equal(await endPause(), 1);
    turns.push(spent());
  }
  assert.deepEqual(turns.slice(0, 3), ["aaaaaa", "bbbbbb", "cccccc"]);
  assert.ok(turns.every((turn) => turn.length <= 6), turns.join(" "));
  assert.deepEqual(await Promise.all(works), ["a", "b", "c"]);
});

Deno.test("a work that fails, and one that is short, hold up nobody", async () => {
  const { deps, work, endPause } = rig();
  function* failing(): Work<string> {
    yield* work("x", 8);
    throw new Error("It fails");
  }
  const failed = runWork(failing(), deps);
  const other = runWork(work("b", 20), deps);
  assert.ok(failed instanceof Promise && other instanceof Promise);
  const rejection = assert.rejects(failed, /It fails/);
  assert.equal(runWork(work("c", 1), deps), "c");
  for (let turn = 0; turn < 8; turn++) await endPause();
  await rejection;
  assert.equal(await other, "b");
});

Deno.test("a work that takes too long in all ends in an error", async () => {
  const { deps, work, endPause } = rig();
  const long = runWork(work("a", 40_000), deps);
  assert.ok(long instanceof Promise);
  const rejection = assert.rejects(long, /longer than 30 s/);
  for (let turn = 0; turn < 7_000; turn++) await endPause();
  await rejection;
});

Deno.test("a work that nobody waits for gets no further turn, and others get theirs", async () => {
  const { deps, work, endPause, spent } = rig();
  let isLeft = false;
  const left = runWork(work("a", 100), { ...deps, isLeft: () => isLeft });
  const other = runWork(work("b", 20), deps);
  assert.ok(left instanceof Promise && other instanceof Promise);
  const rejection = assert.rejects(left, WorkLeft);
  await endPause();
  spent();
  isLeft = true;
  for (let turn = 0; turn < 8; turn++) await endPause();
  await rejection;
  assert.equal(await other, "b");
  assert.ok(!spent().includes("a"));
});
