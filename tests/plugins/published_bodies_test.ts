import assert from "node:assert/strict";
import { asObject, type Json } from "../support/event_stream.ts";
import { eventsOf, says, type Sent, withTools } from "../server_tools/rig.ts";
import { checkPublished } from "./published_bodies.ts";
import { apis, askWith, requestOn } from "./rig.ts";

/** A part of each body, and of an event of each stream, that every client needs. */
const needed = {
  responses: ["output", "item_id"],
  chat: ["choices", "choices"],
  messages: ["content", "delta"],
};

function without(body: Json, key: string): Json {
  const { [key]: _, ...rest } = body;
  return rest;
}

const asStream = (events: readonly Json[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

Deno.test("a body that lacks what its API publishes is found, whole and streamed", async (t) => {
  await withTools({}, async ({ gateway, plan }) => {
    for (const api of apis) {
      for (const stream of [false, true]) {
        await t.step(`${api} ${stream ? "streamed" : "whole"}`, async () => {
          plan(() => [says("Hi.")]);
          const body = requestOn(api, { model: "mock/chat", text: "Hi" });
          const { sent } = await askWith(gateway, { api, stream, body });
          await checkPublished(sent, { api, stream });
          const key = needed[api][stream ? 1 : 0] ?? assert.fail();
          const text = stream
            ? asStream(eventsOf(sent).map((event) => without(event, key)))
            : JSON.stringify(without(asObject(JSON.parse(sent.text)), key));
          const broken: Sent = { ...sent, text };
          await assert.rejects(checkPublished(broken, { api, stream }));
        });
      }
    }
  });
});
