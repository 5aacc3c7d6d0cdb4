/** Items of tools that no tool here makes: a client may bring them back, and their model is told of them. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { says, send, upstreamWires, wholeOf, withTools } from "./rig.ts";

const kept: Readonly<Record<string, Json>> = {
  code_interpreter: { code: "print(1)", language: "python", stdout: "planted", stderr: "", exitCode: 0 },
  file_search: { queries: ["planted"] },
  mcp: { serverLabel: "docs", toolName: "planted" },
  memory: { action: "write", key: "planted", value: [1, { deep: "x" }] },
  text_editor: { command: "undo_edit", filePath: "planted" },
  browser_use: { action: "planted", screenshotB64: "AAAA" },
};

Deno.test("items that no tool here makes are taken in both spellings, and told on every wire", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    for (const wire of upstreamWires) {
      for (const [kind, fields] of Object.entries(kept)) {
        for (const prefix of ["service:", "openrouter:"]) {
          plan(() => [says("Done.")]);
          const item = {
            type: prefix + kind,
            id: "st_1",
            status: "completed",
            unknown_field: { a: 1 },
            ...fields,
          };
          const input = [{ role: "user", content: "Hi" }, item, { role: "user", content: "Go on." }];
          const sent = await send(gateway, { body: { model: `mock/${wire}`, input } });
          assert.equal(wholeOf(sent).status, "completed", `${wire} ${item.type}`);
          const told = JSON.stringify(taken(wire)[0]);
          assert.ok(told.includes("planted"), `${wire} ${item.type}: ${told}`);
          assert.ok(!told.includes(item.type), `${wire} ${item.type}: ${told}`);
        }
      }
    }
  });
});
