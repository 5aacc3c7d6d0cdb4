/** `POST /v1/route/explain` of a request with server tools: it shows what the first call reserves, with every tool. */

import assert from "node:assert/strict";
import { serviceToolKinds } from "../../shared/fields/service_tool_names.ts";
import { ownValue } from "../../shared/util/own_value.ts";
import { findServerTool } from "../../server/pipeline/tools/mod.ts";
import { asObject } from "../support/event_stream.ts";
import { explainedFor, heldWhile, nano } from "../support/held.ts";
import { createKey, managed } from "../support/manage.ts";
import { send, upstreamWires, wholeOf } from "./rig.ts";
import { withWeb } from "./web_rig.ts";

/** Settings that a kind needs. */
const needed = { file_search: { vector_store_ids: ["workspace"] } };

const kinds = serviceToolKinds.filter((kind) => findServerTool(kind) !== undefined && kind !== "fusion");

Deno.test("explain shows what the first call reserves, with every server tool at every wire", async () => {
  await withWeb({}, async ({ gateway, mock, taken, plan }) => {
    const { key } = await createKey(gateway, { limit: 100 });
    const keyed = { gateway, key };
    for (const wire of upstreamWires) {
      for (const kind of kinds) {
        plan(() => []);
        const body = {
          model: `mock/${wire}-stall`,
          input: "Hi",
          max_output_tokens: 50,
          tools: [{ type: `service:${kind}`, ...ownValue(needed, kind) }],
        };
        const { reservation, refusal } = await explainedFor(keyed, body);
        assert.equal(refusal, null, `${wire} ${kind}`);
        const isAsked = () => taken(wire).length === 1 && mock(wire).open() === 1;
        const held = await heldWhile({ ...keyed, model: "mock/chat", body, isAsked });
        assert.equal(nano(asObject(reservation).reserved_usd), held, `${wire} ${kind}`);
      }
    }
  });
});

Deno.test("explain refuses a request whose tools are refused, in the words of the call", async () => {
  await withWeb({}, async ({ gateway }) => {
    const { key } = await createKey(gateway, { limit: 100 });
    const set = await managed(gateway, {
      call: "PATCH /workspaces/default",
      body: { disabled_server_tools: ["datetime"] },
    });
    assert.equal(set.status, 200);
    const rows = [
      { tools: [{ type: "service:datetime" }], status: 403 },
      { tools: [{ type: "openrouter:web_search", parameters: { engine: "nobody" } }], status: 400 },
    ];
    for (const { tools, status } of rows) {
      const body = { model: "mock/chat", input: "Hi", tools };
      const sent = await send(gateway, { key, body });
      const { message } = asObject(wholeOf(sent, status).error);
      const { refusal, reservation, order } = await explainedFor({ gateway, key }, body);
      assert.deepEqual([asObject(refusal).status, asObject(refusal).message], [status, message]);
      assert.deepEqual([reservation, order], [null, []]);
    }
  });
});
