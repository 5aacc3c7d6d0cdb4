/** Fake time does not overtake real work that is counted. */

import assert from "node:assert/strict";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { type SteppedClock, storeClock } from "./clock.ts";
import { countedStore, countFiles, RealWork } from "./real_work.ts";
import { wrappedStore } from "./wrapped_store.ts";

/** As a busy disk is: each call takes its time on the real clock. */
const slow = () =>
  wrappedStore(memoryStore(), async (call) => {
    await new Promise((resolve) => setTimeout(resolve, 15));
    return await call();
  });

/** Reads twice in a row, and then waits for five seconds of fake time. */
async function readThenWait(clock: SteppedClock, read: () => Promise<unknown>): Promise<number> {
  await read();
  await Promise.resolve();
  await read();
  const from = clock.monotonic();
  await new Promise<void>((resolve) => void clock.after(5_000, resolve));
  return clock.monotonic() - from;
}

Deno.test("storeClock moves on only when no call of the store is under way", async () => {
  const work = new RealWork();
  const clock = storeClock(work);
  const store = countedStore(slow(), work);
  const waiting = readThenWait(clock, () => store.get(["a"]));
  await clock.advance(4_999);
  assert.deepEqual([clock.open, work.inFlight], [1, 0]);
  await clock.advance(1);
  assert.equal(await waiting, 5_000);
});

Deno.test("storeClock stands still between two deadlines, too, while what the first has begun is under way", async () => {
  const work = new RealWork();
  const clock = storeClock(work);
  const store = countedStore(slow(), work);
  const beats: number[] = [];
  const beat = async () => {
    await store.commit({ puts: [{ key: ["beat"], value: beats.push(clock.monotonic()) }] });
    if (beats.length < 5) clock.after(1_000, beat);
  };
  clock.after(1_000, beat);
  await clock.advance(5_000);
  assert.deepEqual(beats, [1_000, 2_000, 3_000, 4_000, 5_000]);
  assert.equal((await store.get(["beat"]))?.value, 5);
});

Deno.test("countFiles counts what is written to open files, until it is disposed of", async () => {
  const work = new RealWork();
  const path = await Deno.makeTempFile();
  {
    using _ = countFiles(work);
    const file = Deno.openSync(path, { write: true });
    const writing = file.write(Uint8Array.of(1, 2)).then(() => file.syncData());
    assert.equal(work.inFlight, 1);
    await storeClock(work).advance(1_000);
    assert.equal(work.inFlight, 0);
    await writing;
    file.close();
    const removed = Deno.remove(path);
    assert.equal(work.inFlight, 1);
    await removed;
  }
  const missing = Deno.remove(path);
  assert.equal(work.inFlight, 0);
  await assert.rejects(missing, Deno.errors.NotFound);
});
