import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import type { OutputEvent } from "../../protocols/canonical/event.ts";
import { ResponseCache } from "./response_cache.ts";

const KIB = 1_024;
const origin = { sourceId: "gen-1", endpoint: testEndpoint(), notes: [] };
const text = (delta: string): OutputEvent => ({ type: "text", itemKey: 0, part: 0, delta });
const end: OutputEvent = { type: "finish", reason: "stop" };

function rig(options: { readonly mostBytes?: number; readonly mostOfOne?: number } = {}) {
  let now = 0;
  const cache = new ResponseCache({ clock: { monotonic: () => now }, ...options });
  const draft = (key: string, chars: number) => {
    const made = cache.draft(origin, { key, ttlSeconds: 60 });
    made.add([text("x".repeat(chars))]);
    made.add([end]);
    return made;
  };
  return { cache, draft, pass: (ms: number) => void (now += ms) };
}

Deno.test("ResponseCache gives a response with its age, until its time is over", async () => {
  const { cache, draft, pass } = rig();
  draft("a", 10).keep();
  pass(59_001);
  const found = cache.find("a");
  assert.deepEqual([found?.ageSeconds, found?.secondsLeft, found?.sourceId], [59, 1, "gen-1"]);
  const source = found?.source();
  assert.deepEqual(await source?.pull(), [text("x".repeat(10)), end]);
  assert.equal(await source?.pull(), undefined);
  pass(999);
  assert.equal(cache.find("a"), undefined);
  assert.equal(cache.bytes, 0, "what is over takes no room once it was asked for");
});

Deno.test("ResponseCache holds the bound: the least recently used go first", () => {
  const { cache, draft } = rig({ mostBytes: 10 * KIB });
  for (const key of ["a", "b", "c"]) {
    draft(key, KIB).keep();
    assert.ok(cache.bytes <= 10 * KIB);
  }
  assert.ok(cache.find("a"));
  draft("d", KIB).keep();
  assert.ok(cache.bytes <= 10 * KIB, String(cache.bytes));
  assert.deepEqual(["a", "b", "c", "d"].map((key) => cache.find(key) !== undefined), [
    true,
    false,
    true,
    true,
  ]);
});

Deno.test("ResponseCache counts what is being read, and gives the room back", () => {
  const { cache, draft } = rig({ mostBytes: 10 * KIB, mostOfOne: 6 * KIB });
  const large = draft("large", 3 * KIB);
  large.keep();
  assert.equal(cache.find("large"), undefined, "more than one may have");
  assert.equal(cache.bytes, 0);
  const [one, two, three] = [draft("a", 2 * KIB), draft("b", KIB), draft("c", 2 * KIB)];
  for (const draft of [one, two, three]) draft.keep();
  assert.equal(cache.find("c"), undefined, "there was no room left beside the two others");
  assert.ok(cache.find("a") && cache.find("b"));
  cache.clear();
  assert.equal(cache.bytes, 0);
  const left = draft("d", KIB);
  left.discard();
  left.keep();
  assert.equal(cache.find("d"), undefined);
  assert.equal(cache.bytes, 0);
});

Deno.test("ResponseCache keeps the later of two responses to the same request", () => {
  const { cache, draft } = rig();
  draft("a", 10).keep();
  const before = cache.bytes;
  draft("a", 10).keep();
  assert.equal(cache.bytes, before);
});
