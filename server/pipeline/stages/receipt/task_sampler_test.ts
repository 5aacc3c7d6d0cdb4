import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { modelRequest } from "../../../../tests/support/requests.ts";
import { TaskSampler } from "./task_sampler.ts";

const silent = { debug() {}, info() {}, warn() {} };
const request = modelRequest({
  input: [{
    type: "message",
    role: "user",
    parts: [{ type: "text", text: "Translate this into German: Good morning" }],
  }],
});

Deno.test("TaskSampler classifies a thousand requests at once, and a hundred a second in the long run", async () => {
  const clock = memoryClock();
  const sampler = new TaskSampler({ clock, log: { ...silent, error: assert.fail } });
  const classified = (count: number) =>
    Array.from({ length: count }, () => sampler.taskOf(request)).filter((task) => task === "translation")
      .length;
  assert.equal(classified(1_500), 1_000);
  await clock.advance(500);
  assert.equal(classified(1_500), 50);
  await clock.advance(3_600_000);
  assert.equal(classified(1_500), 1_000);
});

Deno.test("TaskSampler takes a request that cannot be classified for one without a task", () => {
  const errors: string[] = [];
  const log = { ...silent, error: (message: string) => void errors.push(message) };
  const sampler = new TaskSampler({ clock: memoryClock(), log });
  const broken = modelRequest({ input: [] });
  Object.defineProperty(broken, "input", { get: () => assert.fail("broken") });
  assert.equal(sampler.taskOf(broken), undefined);
  assert.deepEqual(errors, ["Cannot classify request for its receipt"]);
  assert.equal(sampler.taskOf(modelRequest({ input: [] })), undefined);
  assert.equal(errors.length, 1);
});
