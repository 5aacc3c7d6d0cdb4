/** Rotation of a provider's keys by reloads, under requests that never stop. */

import assert from "node:assert/strict";
import { says, scripted } from "../support/scripted.ts";
import { fileAt, reloadRig } from "./rig.ts";

const ROUNDS = 30;

Deno.test("keys are rotated by reloads without a failed request", async () => {
  const accepted = new Set(["sk-one-0123456789", "sk-two-0123456789"]);
  const used = new Set<string>();
  const answer = says("chat", "Hello");
  await using provider = scripted((requested, number) => {
    const key = requested.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    used.add(key);
    if (accepted.has(key)) return answer(requested, number);
    return Response.json({ error: { message: "revoked" } }, { status: 401 });
  });
  const file = fileAt(provider.baseUrl, { api_key_env: undefined, api_keys_env: ["KEY_A", "KEY_B"] });
  await using rig = await reloadRig(file, {
    env: { KEY_A_FILE: "a", KEY_B_FILE: "b" },
    files: { a: "sk-one-0123456789\n", b: "sk-two-0123456789\n" },
  });
  const statuses: number[] = [];
  let isOver = false;
  const caller = async (name: number) => {
    for (let at = 0; !isOver; at++) {
      const response = await rig.ask({ session_id: `${name} ${at}` });
      statuses.push(response.status);
      await response.body?.cancel();
    }
  };
  const callers = Array.from({ length: 4 }, (_, name) => caller(name));
  let [old, next] = ["sk-one-0123456789", ""];
  for (let round = 0; round < ROUNDS; round++) {
    next = `sk-${round}-0123456789`;
    accepted.add(next);
    rig.files.set(round % 2 === 0 ? "a" : "b", `${next}\n`);
    const { status, body } = await rig.reload();
    assert.deepEqual([status, body.data], [200, {
      changed: [round % 2 === 0 ? "KEY_A" : "KEY_B"],
      restart: [],
      warnings: [],
    }]);
    // A request that had begun before still has the old one.
    if (round > 2) accepted.delete(`sk-${round - 3}-0123456789`);
  }
  isOver = true;
  await Promise.all(callers);
  old = String([...used].at(0));
  assert.ok(old.startsWith("sk-"));
  assert.deepEqual(statuses.filter((status) => status !== 200), []);
  assert.ok(used.has(next) || statuses.length > 0);
});
