/** Model calls of the console's playground: who may make them, as which key, and that they are ordinary requests. */

import assert from "node:assert/strict";
import type { Json } from "../support/event_stream.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { type ConsoleCall, ConsoleClient, signedIn } from "../support/console_client.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { frame, says, type Scripted, scripted, sse, textFrames } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { pricedAt, receiptOf } from "../money/rig.ts";
import { lastReceipt, sound, speaker, speakerAt, tone } from "../speech/rig.ts";

interface PlaygroundRoute {
  readonly path: string;
  readonly body: Json;
  /** Its wire has another word for it, or none. */
  readonly streams: boolean;
}

const message = { role: "user", content: "Hi" };

const routes: readonly PlaygroundRoute[] = [
  { path: "responses", body: { model: "mock/model", input: "Hi" }, streams: true },
  { path: "chat/completions", body: { model: "mock/model", messages: [message] }, streams: true },
  { path: "messages", body: { model: "mock/model", messages: [message], max_tokens: 100 }, streams: true },
  {
    path: "audio/speech",
    body: { model: "mock/voice", input: "Hi", voice: "alloy", response_format: "pcm" },
    streams: false,
  },
];

/** A gateway with a model and a voice that cost something. */
async function withGateway(
  run: (gateway: Gateway, upstream: Scripted) => Promise<void>,
  upstream = scripted(says("responses", "Hello there.")),
): Promise<void> {
  await using said = upstream;
  await using voice = speaker(() => sound(tone(0.1)));
  const providers = [pricedAt(said.baseUrl), speakerAt(voice.baseUrl, { id: "voice", name: "Voice" })];
  await using gateway = await startGateway({ providers });
  await run(gateway, said);
}

async function readOnlyKey(gateway: Gateway): Promise<string> {
  const fields = { name: "Looks", read_only: true };
  const { body } = await managed(gateway, { call: "POST /management-keys", body: fields });
  return String(body.key);
}

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const callOf = ({ path, body }: PlaygroundRoute, query = ""): ConsoleCall => ({
  call: `POST /api/playground/${path}${query}`,
  body,
});

async function send(client: ConsoleClient, call: ConsoleCall): Promise<Sent> {
  const response = await client.send(call);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function playgroundKeys(gateway: Gateway): Promise<readonly Json[]> {
  const keys = asList((await managed(gateway, { call: "GET /keys" })).body.data).map(asObject);
  return keys.filter(({ name }) => name === "Console playground");
}

/** Whole, and streamed where the API streams. */
const variants: readonly PlaygroundRoute[] = routes.flatMap((route) =>
  route.streams ? [route, { ...route, body: { ...route.body, stream: true } }] : [route]
);

Deno.test("a session of each kind runs every API as the key that is its own, and a reader none", async () => {
  await withGateway(async (gateway) => {
    const manager = await signedIn(gateway);
    const reader = await signedIn(gateway, await readOnlyKey(gateway));
    const holder = await signedIn(gateway, gateway.apiKey);
    for (const route of variants) {
      const what = JSON.stringify(route);
      const call = callOf(route);
      assert.equal((await send(new ConsoleClient(gateway), call)).status, 401, what);
      const refused = await send(reader, call);
      assert.equal(refused.status, 403, what);
      assert.match(refused.text, /read-only: it can look at everything and run nothing in the playground/);
      const own = await send(holder, call);
      assert.equal(own.status, 200, `${what}: ${own.text}`);
      const ownReceipt = await receiptOf(gateway, own);
      assert.deepEqual(
        [ownReceipt.key_hash, ownReceipt.management_key_hash],
        [holder.session?.key_hash, undefined],
      );
      const run = await send(manager, call);
      assert.equal(run.status, 200, `${what}: ${run.text}`);
      const receipt = await receiptOf(gateway, run);
      const [key, ...more] = await playgroundKeys(gateway);
      assert.deepEqual([receipt.key_hash, more.length], [key?.hash, 0], what);
      assert.equal(receipt.management_key_hash, manager.session?.key_hash);
      assert(receipt.cost > 0 && receipt.status === "completed", what);
    }
    const [key] = await playgroundKeys(gateway);
    assert.deepEqual([key?.limit, key?.limit_reset, key?.include_byok_in_limit], [5, "daily", true]);
    const { body } = await managed(gateway, { call: `GET /receipts?api_key_hash=${key?.hash}` });
    const names = Object.values(asObject(body.key_names));
    assert(names.includes("Console playground") && names.includes(String(manager.session?.name)), `${names}`);
  });
});

Deno.test("a run needs the session's cookie, its X-CSRF and the console's own origin, and no bearer key", async () => {
  await withGateway(async (gateway, { requested }) => {
    const client = await signedIn(gateway);
    const cases: readonly (readonly [ConsoleCall["headers"], number])[] = [
      [{ cookie: undefined }, 401],
      [{ "x-csrf": undefined }, 403],
      [{ origin: "http://evil.example", "sec-fetch-site": "cross-site" }, 403],
      [{ origin: "null" }, 403],
      [{ "sec-fetch-site": "same-site" }, 403],
      [{ authorization: `Bearer ${gateway.apiKey}` }, 403],
    ];
    for (const route of variants) {
      for (const [headers, status] of cases) {
        const { status: told } = await send(client, { ...callOf(route), headers });
        assert.equal(told, status, `${route.path} ${JSON.stringify(headers)}`);
      }
    }
    assert.equal(requested.length, 0);
    assert.deepEqual(await playgroundKeys(gateway), [], "none is made for what is refused");
  });
});

Deno.test("a run is of the workspace that is named, whose key and guardrails hold", async () => {
  await withGateway(async (gateway) => {
    const client = await signedIn(gateway);
    const { body } = await managed(gateway, {
      call: "POST /workspaces",
      body: { name: "Strict", slug: "strict" },
    });
    const { id } = asObject(body.data);
    const { body: { data } } = await managed(gateway, { call: `GET /guardrails?workspace_id=${id}` });
    const [guardrail] = asList(data).map(asObject);
    const rules = { content_filters: [{ pattern: "secret", action: "block" }] };
    await managed(gateway, { call: `PATCH /guardrails/${guardrail?.id}`, body: rules });
    const query = `?workspace_id=${id}`;
    for (const route of variants) {
      const text = JSON.stringify(route.body).replaceAll('"Hi"', '"A secret"');
      const blocked = await send(client, { ...callOf(route, query), body: JSON.parse(text) });
      assert.equal(blocked.status, 403, `${route.path}: ${blocked.text}`);
      assert.equal((await receiptOf(gateway, blocked)).workspace_id, id);
      assert.equal((await send(client, callOf(route, query))).status, 200);
    }
    const shown = await client.answer({ call: `GET /api/playground/key${query}` });
    const key = asObject(shown.body.data);
    assert.deepEqual([key.name, key.limit, key.workspace_id], ["Console playground", 5, id]);
    assert.deepEqual(asList(key.guardrails).map((one) => asObject(one).id), [guardrail?.id]);
    const [chat] = routes;
    assert(chat !== undefined);
    for (const wrong of ["?workspace_id=none", "?workspace_id=00000000-0000-4000-8000-000000000000"]) {
      const refused = await send(client, callOf(chat, wrong));
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /Cannot run playground: workspace_id is/);
    }
  });
});

Deno.test("the key is shown as it would be made, and as it is once it was", async () => {
  await withGateway(async (gateway) => {
    const client = await signedIn(gateway);
    const shown = async (from = client) =>
      asObject((await from.answer({ call: "GET /api/playground/key" })).body.data);
    const before = await shown();
    assert.deepEqual([before.hash, before.limit, before.limit_remaining, before.disabled], [
      null,
      5,
      5,
      false,
    ]);
    assert.deepEqual(await playgroundKeys(gateway), [], "a look makes none");
    const [first] = routes;
    assert(first !== undefined);
    await send(client, callOf(first));
    const [key] = await playgroundKeys(gateway);
    const after = await shown();
    assert.equal(after.hash, key?.hash);
    assert(Number(after.limit_remaining) < 5 && Number(after.usage_daily) > 0);
    const holder = await signedIn(gateway, gateway.apiKey);
    assert.equal((await shown(holder)).hash, holder.session?.key_hash);
  });
});

Deno.test("over its key's limit a run is refused in words", async () => {
  await withGateway(async (gateway) => {
    const client = await signedIn(gateway);
    const [first] = routes;
    assert(first !== undefined);
    await send(client, callOf(first));
    const [key] = await playgroundKeys(gateway);
    await managed(gateway, { call: `PATCH /keys/${key?.hash}`, body: { limit: 0.000001 } });
    const { key: poor } = await createKey(gateway, { limit: 0.000001 });
    const holder = await signedIn(gateway, poor);
    for (const route of variants) {
      for (const one of [client, holder]) {
        const refused = await send(one, callOf(route));
        assert.equal(refused.status, 402, `${route.path}: ${refused.text}`);
        assert.match(refused.text, /limit/);
      }
    }
  });
});

/** Frames of an answer that goes on until the client leaves. */
function endless(): { readonly script: () => Response; readonly hasEnded: () => boolean } {
  let ended = false;
  const [begin = "", ...others] = textFrames("responses", "Hello there, and so on.");
  const deltas = others.filter((one) => one.includes("output_text.delta"));
  const script = () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent > 1) return new Promise<void>(() => {});
        const text = sent++ === 0 ? begin : others.slice(0, others.indexOf(deltas[1] ?? "")).join("");
        controller.enqueue(new TextEncoder().encode(text));
      },
      cancel: () => {
        ended = true;
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { script, hasEnded: () => ended };
}

Deno.test("a client that leaves is charged for what came, and the provider's call ends", async () => {
  const { script, hasEnded } = endless();
  await withGateway(async (gateway) => {
    const client = await signedIn(gateway);
    const [first] = routes;
    assert(first !== undefined);
    const streamed = { ...callOf(first), body: { ...first.body, stream: true } };
    const response = await client.send(streamed);
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes("output_text.delta")) {
      text += new TextDecoder().decode((await reader?.read())?.value);
    }
    await reader?.cancel();
    await until(hasEnded, { what: "the end of the provider's call" });
    const receipt = await lastReceipt(gateway);
    assert.deepEqual([receipt.status, receipt.id], ["cancelled", response.headers.get("x-generation-id")]);
    assert(receipt.cost > 0);
  }, scripted(script));
});

/** Sends by a socket, which the client can close. */
function sendByWire(
  gateway: Gateway,
  { client, route, signal }: {
    readonly client: ConsoleClient;
    readonly route: PlaygroundRoute;
    readonly signal: AbortSignal;
  },
): Promise<Response> {
  return fetch(`${gateway.url}/console/api/playground/${route.path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-csrf": client.session?.csrf ?? "",
      cookie: client.cookie ?? "",
      origin: gateway.url,
      "sec-fetch-site": "same-origin",
    },
    body: JSON.stringify(route.body),
    signal,
  });
}

Deno.test("a client that leaves before a whole answer ends the provider's call, on every API", async () => {
  for (const route of routes) {
    const hanging = Promise.withResolvers<Response>();
    const script = () => hanging.promise;
    await using upstream = scripted(script);
    await using voice = speaker(script);
    const providers = [pricedAt(upstream.baseUrl), speakerAt(voice.baseUrl, { id: "voice", name: "Voice" })];
    await using gateway = await startGateway({ providers });
    const client = new ConsoleClient(gateway, gateway.url);
    await client.signIn({ key: gateway.managementKey });
    const leaving = new AbortController();
    const sent = sendByWire(gateway, { client, route, signal: leaving.signal });
    const called = () => upstream.requested.length + voice.requested.length === 1;
    await until(called, { what: `the call of ${route.path}` });
    leaving.abort();
    await assert.rejects(sent);
    const receipt = await lastReceipt(gateway);
    assert.deepEqual([receipt.status, receipt.management_key_hash], [
      "cancelled",
      client.session?.key_hash,
    ], route.path);
    hanging.resolve(new Response(null, { status: 500 }));
  }
});

const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "datetime", arguments: "{}" };
const usage = {
  input_tokens: 7,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 3,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 10,
};
const base = { id: "resp_1", object: "response", created_at: 1, model: "m" };
const toolFrames = [
  frame({ type: "response.created", response: { ...base, status: "in_progress", output: [] } }),
  frame({ type: "response.output_item.added", output_index: 0, item: { ...call, arguments: "" } }),
  frame({ type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: "{}" }),
  frame({ type: "response.output_item.done", output_index: 0, item: { ...call, status: "completed" } }),
  frame({ type: "response.completed", response: { ...base, status: "completed", output: [call], usage } }),
];

Deno.test("a run makes no further call once its key, or the session's, is disabled", async () => {
  for (const which of ["playground", "session"] as const) {
    const state: { disable?: () => Promise<void> } = {};
    let disabled = false;
    const upstream = scripted(async (_, number) => {
      if (number > 0) return sse(textFrames("responses", "It is late."));
      await state.disable?.();
      disabled = true;
      return sse(toolFrames);
    });
    await withGateway(async (gateway, { requested }) => {
      const { body } = await managed(gateway, {
        call: "POST /management-keys",
        body: { name: "A colleague's" },
      });
      const client = await signedIn(gateway, String(body.key));
      const { path } = routes[0] ?? assert.fail();
      const tools = [{ type: "service:datetime" }];
      state.disable = async () => {
        const [key] = await playgroundKeys(gateway);
        const change = which === "playground"
          ? { call: `PATCH /keys/${key?.hash}`, body: { disabled: true } }
          : { call: `DELETE /management-keys/${client.session?.key_hash}` };
        const { status } = await managed(gateway, change);
        assert.equal(status, 200);
      };
      const run = { path, body: { model: "mock/model", input: "Hi", stream: true, tools }, streams: true };
      const { text } = await send(client, callOf(run));
      assert(disabled && requested.length === 1, `${which}: ${requested.length} calls, ${text}`);
      assert.match(text, /The key was (?:disabled|deleted) while the request was running/, which);
      const next = await send(client, callOf(run));
      assert.equal(next.status, which === "playground" ? 400 : 401, next.text);
      if (which === "playground") assert.match(next.text, /is disabled; enable or delete it/);
    }, upstream);
  }
});
