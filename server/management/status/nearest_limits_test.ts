import assert from "node:assert/strict";
import { NearestLimits } from "./nearest_limits.ts";

const named = { subject: "key", name: "", workspaceId: "", scope: "", interval: "daily" } as const;
const limit = (id: number, left: number) => ({ ...named, id: String(id), limit: 1_000, left });

Deno.test("NearestLimits keeps those of which the least is left, however many there are", () => {
  const nearest = new NearestLimits(3);
  for (let id = 0; id < 1_000; id++) nearest.add(limit(id, (id * 7) % 1_000));
  assert.deepEqual(nearest.list().map(({ left }) => left), [0, 1, 2]);
  nearest.add({ ...limit(1_000, 0), limit: 0 });
  assert.equal(nearest.list().filter(({ left }) => left === 0).length, 2);
  const none = new NearestLimits(0);
  none.add(limit(1, 1));
  assert.deepEqual(none.list(), []);
});
