/** The tasks of deno.json as a list: the parts of the gate, and that a task is short enough to be read. */

import assert from "node:assert/strict";
import { readTasks } from "./support/task.ts";

const tasks = await readTasks();
const kinds = ["fmt", "lint", "types"] as const;
const isPart = (name: string) => kinds.some((kind) => name.startsWith(`${kind}:`));

Deno.test("the gate is every task of format, lint and types, and the documents' tables", () => {
  const { dependencies, command } = tasks.gate ?? {};
  assert.deepEqual(
    [...dependencies ?? []].sort(),
    [...Object.keys(tasks).filter(isPart), "docs:tables"].sort(),
  );
  assert.equal(command, undefined);
});

Deno.test("each part that has a format has lint and types, by the same configuration", () => {
  const parts = Object.keys(tasks).flatMap((name) => /^fmt:(.+)$/.exec(name)?.[1] ?? []);
  assert.ok(parts.length >= 5);
  for (const part of parts) {
    const configs = kinds.map((kind) => {
      const command = tasks[`${kind}:${part}`]?.command ?? "";
      assert.notEqual(command, "", `there is no ${kind}:${part}`);
      return /--config (\S+)/.exec(command)?.[1];
    });
    assert.equal(new Set(configs).size, 1, `${part}: ${configs.join()}`);
  }
});
