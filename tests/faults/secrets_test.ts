/** Tests that a provider's text about our own account is not passed on, wherever it stands (faults U4). */

import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";
import {
  deltaFrame,
  frame,
  openingFrames,
  type Script,
  scripted,
  sse,
  type Wire,
  wires,
} from "../support/scripted.ts";
import { outcomeOf } from "./rig.ts";

const others = ["sk-proj-abcdefghijkl1234567890", "AIzaSyA1234567890abcdefghij", "tg-api-0123456789abcdef"];
const secrets = [PROVIDER_KEY, ...others];
const message = `Bad key ${
  secrets.join(" ")
}, header was Bearer ${PROVIDER_KEY}, body data:text/plain;base64,SGk=`;
const error = { message, type: "invalid_request_error", code: "invalid_value", param: null };

/** Where the error stands. */
const places: Readonly<Record<string, (wire: Wire) => Script>> = {
  "an answer with 400": () => () => Response.json({ error }, { status: 400 }),
  "an answer with 401": () => () => Response.json({ error }, { status: 401 }),
  "an answer with 404": () => () => Response.json({ error }, { status: 404 }),
  "an answer with 429": () => () => Response.json({ error }, { status: 429 }),
  "an answer with 500": () => () => Response.json({ error }, { status: 500 }),
  "an answer in plain text": () => () => new Response(message, { status: 502 }),
  "a page": () => () =>
    new Response(`<html><title>${message}</title></html>`, {
      status: 503,
      headers: { "content-type": "text/html" },
    }),
  "a whole answer with 200": () => () => Response.json({ error }),
  "the first frame": (wire) => () => sse([errorFrame(wire)]),
  "a later frame": (wire) => () => sse([...openingFrames(wire), deltaFrame(wire, "Hm"), errorFrame(wire)]),
};

function errorFrame(wire: Wire): string {
  return frame(wire === "chat" ? { error } : { ...error, type: "error", sequence_number: 9 });
}

for (const wire of wires) {
  for (const [place, script] of Object.entries(places)) {
    Deno.test(`U4 no secret of ours gets out by ${place} (${wire})`, async () => {
      await using upstream = scripted(script(wire));
      await using gateway = await startGateway({
        providers: [providerAt(upstream.baseUrl, { wire, headers: { "x-also": "of-the-gateway" } })],
      });
      for (const stream of [false, true]) {
        const headers = { "x-service-metadata": "enabled" };
        const response = await ask(gateway, { model: "mock/model", input: "Hi", stream }, { headers });
        const { status, ended, error: outcomeError, stream: events } = await outcomeOf(response);
        assert(status !== 401 && status !== 403 && ended !== "completed");
        const text = `${JSON.stringify(outcomeError?.body)}${events?.text}${gateway.logged.join("")}`;
        for (const secret of secrets) assert(!text.includes(secret), `${secret} is told: ${text}`);
        assert(!text.includes("SGk="), "no file is repeated");
      }
      const [requested] = upstream.requested;
      assert.equal(requested?.headers.get("authorization"), `Bearer ${PROVIDER_KEY}`);
      assert.equal(requested?.headers.get("x-also"), "of-the-gateway");
    });
  }

  Deno.test(`POST /responses sends no header of the client to the provider (${wire})`, async () => {
    await using upstream = scripted(() => Response.json({ error }, { status: 400 }));
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl, { wire })] });
    const headers = {
      cookie: "a=b",
      "x-api-key": "client-key",
      "openai-organization": "org-client",
      "x-forwarded-for": "203.0.113.1",
      "http-referer": "https://app.example.com",
      "user-agent": "client/1",
    };
    await outcomeOf(await ask(gateway, { model: "mock/model", input: "Hi" }, { headers }));
    const sent = JSON.stringify([...(upstream.requested[0]?.headers ?? [])]);
    for (const value of [...Object.values(headers), gateway.apiKey]) assert(!sent.includes(value), value);
  });
}
