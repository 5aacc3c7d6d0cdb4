/** `web_search_options` asks for a search of the provider's own: sent where a row lists it, never lost without a word. */

import assert from "node:assert/strict";
import { wireIds } from "../../server/protocols/canonical/item.ts";
import { withTraitRig } from "./trait_rig.ts";

const options = { search_context_size: "low" };
const question = {
  api: "chat/completions",
  body: { messages: [{ role: "user", content: "News?" }], web_search_options: options },
} as const;

const rows = [
  ...wireIds.map((wire) => ({ id: `plain-${wire}`, wire, models: [{ id: `search/${wire}` }] })),
  {
    id: "listing",
    wire: "chat",
    models: [{ id: "search/listed", supported_parameters: ["web_search_options"] }],
  },
];

Deno.test("web_search_options goes to models that take it, and is named as dropped at others", async () => {
  await withTraitRig(rows, async ({ ask }) => {
    const listed = await ask({ model: "search/listed", wire: "chat" }, question);
    assert.deepEqual([listed.sent.body.web_search_options, listed.dropped], [options, []]);
    for (const wire of wireIds) {
      const { sent, dropped } = await ask({ model: `search/${wire}`, wire }, question);
      assert.doesNotMatch(JSON.stringify(sent.body), /search_context_size/);
      assert.ok(dropped.includes("web_search_options"), wire);
    }
  });
});
