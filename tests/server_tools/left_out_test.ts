/** Tools that a call leaves out are told in the header `X-Tollgate-Notes` of every API, and in the log once a minute. */

import assert from "node:assert/strict";
import { fakeClock } from "../support/clock.ts";
import type { Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { says as answers, scripted } from "../support/scripted.ts";
import { patiently } from "../support/until.ts";
import { pricedAt } from "../money/rig.ts";
import {
  type Api,
  apis,
  calls,
  type MockedWire,
  responseOf,
  says,
  send,
  type Sent,
  upstreamWires,
  withTools,
} from "./rig.ts";
import { withWeb } from "./web_rig.ts";

const SEARCH = "this gateway has no engine for it. Set SEARXNG_URL or the key of a search engine; " +
  "docs/server-tools.md lists them.";
const CONTAINERS =
  "this gateway has no engine for it. It runs code in containers, which are switched off here: " +
  "TOLLGATE_SANDBOX, or a machine that may start no programs.";
const NOBODY = "neither this gateway nor the model's provider runs it.";

interface Row {
  readonly tools: readonly Json[];
  /** Undefined: every tool reaches the model. */
  readonly notes: string | undefined;
  /** APIs that have the tool; absent: all. */
  readonly apis?: readonly Api[];
  /** Wires whose providers do not run it; absent: all. */
  readonly wires?: readonly MockedWire[];
}

const without = (...wires: readonly MockedWire[]) => upstreamWires.filter((wire) => !wires.includes(wire));

const rows: readonly Row[] = [
  { tools: [{ type: "service:web_search" }], notes: `service:web_search is left out: ${SEARCH}` },
  {
    tools: [{ type: "service:bash", engine: "container" }],
    notes: `service:bash is left out: ${CONTAINERS}`,
  },
  { tools: [{ type: "service:datetime" }], notes: undefined },
  {
    tools: [{ type: "service:datetime" }, { type: "service:web_search" }, {
      type: "service:bash",
      engine: "openrouter",
    }],
    notes: `service:web_search is left out: ${SEARCH} service:bash is left out: ${CONTAINERS}`,
  },
  // The second of a kind says nothing that the first does not.
  { tools: [{ type: "service:datetime" }, { type: "service:datetime" }], notes: undefined },
  {
    tools: [{ type: "web_search" }],
    apis: ["responses"],
    wires: without("responses"),
    notes: `web_search is left out: ${SEARCH}`,
  },
  { tools: [{ type: "web_search" }], apis: ["responses"], wires: ["responses"], notes: undefined },
  {
    tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }],
    apis: ["responses"],
    wires: without("responses"),
    notes: `file_search is left out: ${NOBODY}`,
  },
  {
    tools: [{ type: "web_search_20250305", name: "web_search" }],
    apis: ["messages"],
    wires: without("messages"),
    notes: `web_search_20250305 is left out: ${SEARCH}`,
  },
];

interface Call {
  readonly api: Api;
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly Json[];
}

const ask = (gateway: Gateway, { api, ...body }: Call): Promise<Sent> => {
  const input = api === "responses" ? { input: "Hi" } : { messages: [{ role: "user", content: "Hi" }] };
  return send(gateway, {
    api,
    body: { ...body, ...input, max_tokens: api === "messages" ? 300 : undefined },
  });
};

const notesOf = ({ status, text, headers }: Sent): string | undefined => {
  assert.equal(status, 200, text);
  return headers.get("x-tollgate-notes") ?? undefined;
};

for (const { tools, notes, apis: some = apis, wires = upstreamWires } of rows) {
  const names = tools.map(({ type }) => type).join(", ");
  for (const api of some) {
    Deno.test(`${api} says what becomes of ${names} (${wires.join(", ")})`, () =>
      withTools({}, async ({ gateway }) => {
        for (const wire of wires) {
          for (const stream of [false, true]) {
            const sent = await ask(gateway, { api, model: `mock/${wire}`, stream, tools });
            assert.equal(notesOf(sent), notes, `${wire}, ${stream ? "streamed" : "whole"}`);
            if (api !== "responses") continue;
            const { notes: told } = responseOf(sent);
            assert.equal(Array.isArray(told) ? told.join(" ") : told, notes);
          }
        }
      }));
  }
}

for (const api of apis) {
  Deno.test(`${api} says nothing of a search that has an engine, in any turn`, () =>
    withWeb({}, async ({ gateway, plan }) => {
      for (const stream of [false, true]) {
        plan((turn) => turn === 0 ? [calls("web_search", { args: { query: "new?" } })] : [says("Hello")]);
        const tools = [{ type: "service:web_search" }];
        assert.equal(notesOf(await ask(gateway, { api, model: "mock/chat", stream, tools })), undefined);
      }
    }));

  Deno.test(`${api} says that a model takes no tools`, () =>
    withTools({ model: { supported_parameters: ["temperature"] } }, async ({ gateway }) => {
      const tools = [{ type: "service:datetime" }];
      const sent = await ask(gateway, { api, model: "mock/chat", stream: false, tools });
      assert.equal(notesOf(sent), "service:datetime is left out: the model takes no tools.");
    }));
}

for (const api of apis) {
  Deno.test(`${api} says it also where a stream's headers leave before its answer begins`, async () => {
    const released = Promise.withResolvers<void>();
    await using upstream = scripted(async (requested, number) => {
      await released.promise;
      return answers("chat", "Hello")(requested, number);
    });
    await using gateway = await startGateway({
      providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
      limits: { heartbeat_seconds: 0.05 },
    });
    const paths = { responses: "responses", chat: "chat/completions", messages: "messages" } as const;
    const input = api === "responses" ? { input: "Hi" } : { messages: [{ role: "user", content: "Hi" }] };
    const response = await patiently(fetch(`${gateway.url}/v1/${paths[api]}`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...input,
        model: "mock/model",
        stream: true,
        max_tokens: api === "messages" ? 300 : undefined,
        tools: [{ type: "service:web_search" }],
      }),
    }));
    assert.equal(response.headers.get("x-tollgate-notes"), `service:web_search is left out: ${SEARCH}`);
    released.resolve();
    assert.match(await response.text(), /Hello/);
  });
}

Deno.test("a tool that is left out is logged once a minute, whatever the API", async () => {
  const clock = fakeClock();
  await withTools({ clock }, async ({ gateway }) => {
    const lines = () => gateway.logged.filter((line) => line.includes("Tool is left out of a request"));
    const tools = [{ type: "service:web_search" }];
    for (const minute of [1, 2]) {
      for (const api of apis) {
        for (const stream of [false, true]) await ask(gateway, { api, model: "mock/chat", stream, tools });
      }
      assert.equal(lines().length, minute);
      clock.leap(60_000);
    }
    const bash = { type: "service:bash", engine: "container" };
    await ask(gateway, { api: "chat", model: "mock/chat", stream: false, tools: [bash] });
    assert.equal(lines().length, 3, "each tool has lines of its own");
    assert.match(lines()[0] ?? "", /"level":"warn".*"reason":"service:web_search is left out: .*SEARXNG_URL/);
  });
});

Deno.test("pages of other origins may read X-Tollgate-Notes", async () => {
  await using gateway = await startGateway();
  const response = await fetch(`${gateway.url}/v1/models`, { headers: { origin: "https://page.example" } });
  await response.body?.cancel();
  assert.match(response.headers.get("access-control-expose-headers") ?? "", /X-Tollgate-Notes/);
});

Deno.test("a provider's own tool is told where a built-in model leaves it out, and again when the reply is repeated", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const ask = (kind: string, more: Json = {}) =>
    fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${gateway.apiKey}`,
        "content-type": "application/json",
        "idempotency-key": `key-${kind}-${Object.keys(more).length}`,
      },
      body: JSON.stringify({ model: "local/echo", input: "Hi", tools: [{ type: kind }], ...more }),
    });
  for (const kind of ["web_search", "web_search_2025_08_26", "web_search_preview"]) {
    const note = `${kind} is left out: ${SEARCH}`;
    for (const replayed of [null, "true"]) {
      const response = await ask(kind);
      assert.equal(response.status, 200, await response.text());
      assert.equal(response.headers.get("x-tollgate-notes"), note, `${kind} ${replayed}`);
      assert.equal(response.headers.get("idempotent-replayed"), replayed);
    }
    const forced = await ask(kind, { tool_choice: { type: kind } });
    assert.equal(forced.status, 400, await forced.text());
  }
});
