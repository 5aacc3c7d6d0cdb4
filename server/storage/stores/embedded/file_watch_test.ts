import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import type { Logger } from "../../../runtime.ts";
import { FileWatch } from "./file_watch.ts";

/** A watch over files whose state the test decides; `found` is called whenever they are looked at. */
function watched(found: () => Promise<string | undefined>) {
  const clock = memoryClock();
  const lines: string[] = [];
  const keep = (text: string) => void lines.push(text);
  const log: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  return { clock, lines, watch: new FileWatch({ identity: { trouble: found }, clock, log }) };
}

Deno.test("FileWatch says once what is wrong with the files, and once that they are back", async () => {
  let trouble: string | undefined;
  const { clock, lines, watch } = watched(() => Promise.resolve(trouble));
  await clock.advance(3_000);
  assert.deepEqual(lines, []);
  trouble = "removed";
  await clock.advance(3_000);
  assert.equal(watch.trouble, "removed");
  trouble = undefined;
  await clock.advance(3_000);
  assert.equal(watch.trouble, undefined);
  assert.equal(lines.length, 2);
  await watch.close();
  assert.equal(clock.open, 0);
});

Deno.test("FileWatch takes no notice of files that are removed because the store is closed", async () => {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const { lines, watch } = watched(() => promise);
  const looking = watch.look();
  const closed = watch.close();
  resolve("removed");
  assert.equal(await looking, undefined);
  await closed;
  assert.equal(await watch.look(), undefined);
  assert.deepEqual(lines, []);
});
