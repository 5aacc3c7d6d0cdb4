import assert from "node:assert/strict";
import { readJsonBlock } from "./json_blocks.ts";

Deno.test("readJsonBlock refuses what the product would not read", () => {
  const faults = [
    { moderation: { wire: "telegraph" } },
    { moderatoin: {} },
    { error: { code: 404, message: "", metadata: { error_type: "payment_required" } }, user_id: null },
    { action: "forgive" },
    { shares: {} },
    { version: 1, texts: [] },
  ];
  for (const json of faults) assert.throws(() => readJsonBlock(json, "here"), JSON.stringify(json));
  readJsonBlock({ action: "allow" }, "here");
  readJsonBlock({ default_model: "local/echo" }, "here");
});
