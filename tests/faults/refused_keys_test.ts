/**
 * A provider that refuses the gateway's key: 502 with the same reason at every call, on every API, whole and streamed,
 * until the provider takes the key again; one call a minute asks whether it does.
 */

import assert from "node:assert/strict";
import { fakeClock } from "../support/clock.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, PROVIDER_KEY, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { says, type Script, scripted, sse } from "../support/scripted.ts";
import { type ApiName, apiNames, call, pricedAt } from "../money/rig.ts";
import { RATE, sound, speak, speakerAt, tone, voiceModel } from "../speech/rig.ts";

const REST_MS = 60_000;
const json = (status: number, error: unknown) => () => Response.json({ error }, { status });
const inStream = (type: string, error: unknown) => () =>
  sse([
    `event: ${type}\ndata: ${JSON.stringify({ type, error, response: { status: "failed", error } })}\n\n`,
  ]);

interface Refusal {
  readonly name: string;
  readonly wire: string;
  readonly answer: () => Response;
  /** In the message of the 502. */
  readonly reason: RegExp;
}

/** Message of the provider that repeats the key, and must not reach a client. */
const message = `Incorrect API key provided: ${PROVIDER_KEY}`;

const statuses: readonly Refusal[] = ["responses", "chat", "messages", "gemini"].flatMap((wire) => [
  {
    name: "401",
    wire,
    answer: json(401, { message }),
    reason: /status 401: it is wrong, expired or disabled/,
  },
  {
    name: "402",
    wire,
    answer: json(402, { message: "Pay first." }),
    reason: /status 402: its account has no money/,
  },
  {
    name: "403",
    wire,
    answer: json(403, { message: "Not from there." }),
    reason: /status 403: it may not use this model/,
  },
]);

/** Refusals with another status. */
const words: readonly Refusal[] = [
  {
    name: "a spent quota with 429",
    wire: "responses",
    answer: json(429, { message: "You exceeded your current quota.", code: "insufficient_quota" }),
    reason: /status 429: its account has no money or no quota left/,
  },
  {
    name: "a spent quota with 429",
    wire: "chat",
    answer: json(429, { message: "You exceeded your current quota.", type: "insufficient_quota" }),
    reason: /status 429: its account has no money or no quota left/,
  },
  {
    name: "a wrong key with 400",
    wire: "gemini",
    answer: json(400, {
      code: 400,
      status: "INVALID_ARGUMENT",
      message: "API key not valid. Please pass a valid API key.",
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
    }),
    reason: /status 400: it is wrong, expired or disabled/,
  },
  {
    name: "an empty account with 400",
    wire: "messages",
    answer: json(400, { type: "invalid_request_error", message: "Your credit balance is too low." }),
    reason: /status 400: its account has no money or no quota left/,
  },
  {
    name: "a spent quota inside of a stream",
    wire: "responses",
    answer: inStream("response.failed", { code: "insufficient_quota", message: "No more." }),
    reason: /status 200: its account has no money or no quota left/,
  },
  {
    name: "a wrong key inside of a stream",
    wire: "messages",
    answer: inStream("error", { type: "authentication_error", message }),
    reason: /status 200: it is wrong, expired or disabled/,
  },
];

interface Answered {
  readonly status: number;
  readonly message: string;
}

async function refusedAnswer(response: Response, reason: RegExp): Promise<Answered> {
  const text = await response.text();
  assert.equal(response.status, 502, text);
  assert(!text.includes(PROVIDER_KEY), "the provider's key reaches nobody");
  assert.equal(response.headers.get("x-should-retry"), "false");
  assert.equal(response.headers.get("retry-after"), null);
  const { error } = asObject(JSON.parse(text));
  const said = String(asObject(error).message);
  assert.match(said, reason);
  assert.match(said, /^Mock refuses the gateway's key \(/);
  return { status: response.status, message: said };
}

/** First and second call, then the one that asks again after the rest, then the next one of its rest. */
async function assertRefused(
  { send, requests, leap }: {
    readonly send: () => Promise<Answered>;
    readonly requests: () => number;
    readonly leap: (ms: number) => void;
  },
): Promise<void> {
  const before = requests();
  const first = await send();
  for (const _ of Array(4)) assert.deepEqual(await send(), first);
  assert.equal(requests() - before, 1, "the provider is asked once");
  leap(REST_MS);
  assert.deepEqual(await send(), first);
  assert.deepEqual(await send(), first);
  assert.equal(requests() - before, 2, "one call a minute asks again");
  leap(REST_MS);
}

for (const { name, wire, answer, reason } of [...statuses, ...words]) {
  for (const api of apiNames) {
    Deno.test(`${api} answers 502 for as long as a ${wire} provider refuses the key (${name})`, async () => {
      const clock = fakeClock();
      await using upstream = scripted(answer);
      await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire })], clock });
      for (const stream of [false, true]) {
        const send = async () =>
          await refusedAnswer(await call(gateway, { api, stream, key: gateway.apiKey }), reason);
        await assertRefused({ send, requests: () => upstream.requested.length, leap: clock.leap });
      }
    });
  }
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";
  Deno.test(`speech answers 502 for as long as the provider refuses the key (${how})`, async () => {
    const clock = fakeClock();
    await using upstream = scripted(json(401, { message }));
    await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl)], clock });
    const body = stream ? { stream_format: "sse" } : {};
    const send = async () => await refusedAnswer(await speak(gateway, { body }), /status 401/);
    await assertRefused({ send, requests: () => upstream.requested.length, leap: clock.leap });
  });
}

Deno.test("count_tokens answers 502 with the reason, also where a call has learned it", async () => {
  await using upstream = scripted(json(401, { message }));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "messages" })] });
  const count = async () =>
    await refusedAnswer(
      await fetch(`${gateway.url}/v1/messages/count_tokens`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "mock/model", messages: [{ role: "user", content: "Hi" }] }),
      }),
      /status 401: it is wrong/,
    );
  const first = await count();
  await (await call(gateway, { api: "messages", key: gateway.apiKey })).text();
  assert.deepEqual(await count(), first);
});

/** Refuses the key until `isMended` says otherwise. */
const mended = (isMended: () => boolean): Script => (requested, number) =>
  isMended() ? says("chat", "Hello")(requested, number) : json(402, { message })();

for (const api of apiNames) {
  Deno.test(`${api} is served again a minute after the provider takes the key`, async () => {
    const clock = fakeClock();
    let isPaid = false;
    await using upstream = scripted(mended(() => isPaid));
    await using gateway = await startGateway({
      providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
      clock,
    });
    const status = async () => {
      const response = await call(gateway, { api, key: gateway.apiKey });
      await response.text();
      return response.status;
    };
    assert.equal(await status(), 502);
    isPaid = true;
    assert.equal(await status(), 502);
    clock.leap(REST_MS);
    assert.deepEqual([await status(), await status()], [200, 200]);
  });
}

Deno.test("a second provider answers while the first refuses the key, which is asked once a minute", async () => {
  const clock = fakeClock();
  await using refusing = scripted(json(401, { message }));
  await using well = scripted(says("chat", "Hello"));
  await using gateway = await startGateway({
    providers: [
      pricedAt(refusing.baseUrl, { wire: "chat" }),
      pricedAt(well.baseUrl, { wire: "chat", id: "other", name: "Other" }),
    ],
    clock,
  });
  const more = { provider: { order: ["mock", "other"] } };
  for (const asked of [1, 1, 2]) {
    if (asked === 2) clock.leap(REST_MS);
    const response = await call(gateway, { key: gateway.apiKey, more });
    assert.equal(response.status, 200, await response.text());
    assert.equal(refusing.requested.length, asked);
  }
});

Deno.test("an endpoint that only rests beside one that refuses the key is 429 with its wait", async () => {
  await using refusing = scripted(json(401, { message }));
  await using busy = scripted(() =>
    Response.json({ error: { message: "Slow down." } }, { status: 429, headers: { "retry-after": "20" } })
  );
  await using gateway = await startGateway({
    providers: [
      pricedAt(refusing.baseUrl, { wire: "chat" }),
      pricedAt(busy.baseUrl, { wire: "chat", id: "other", name: "Other" }),
    ],
    clock: fakeClock(),
  });
  for (const _ of Array(2)) {
    const response = await call(gateway, { key: gateway.apiKey });
    assert.equal(response.status, 429, await response.text());
    assert.equal(response.headers.get("retry-after"), "20");
  }
});

Deno.test("a message about money that quotes the caller rests nobody", async () => {
  const quoting = "Invalid value at 'messages[0]': \"my billing account: API key not valid\"";
  for (const wire of ["chat", "gemini", "messages", "responses"]) {
    await using upstream = scripted(json(400, { message: quoting }));
    await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire })] });
    for (const _ of Array(3)) await (await call(gateway, { key: gateway.apiKey })).text();
    assert.equal(upstream.requested.length, 3, wire);
  }
});

async function readyz(gateway: Gateway): Promise<readonly [status: number, providers: unknown]> {
  const response = await fetch(`${gateway.url}/readyz`);
  const { details = {} } = asObject(await response.json());
  return [response.status, asObject(details).providers];
}

const sends: readonly (readonly [string, (gateway: Gateway) => Promise<Response>])[] = [
  ...apiNames.map((api: ApiName) =>
    [api, (gateway: Gateway) => call(gateway, { api, key: gateway.apiKey })] as const
  ),
  ["speech", (gateway) => speak(gateway)],
];

for (const [api, send] of sends) {
  Deno.test(`/readyz names a provider that refuses every call, and stays ready (${api})`, async () => {
    const clock = fakeClock();
    let isMended = false;
    await using upstream = scripted((requested, number) => {
      if (!isMended) return json(401, { message })();
      return api === "speech" ? sound(tone(0.1, RATE)) : says("chat", "Hello")(requested, number);
    });
    const [model] = asModels(pricedAt(upstream.baseUrl).models);
    await using gateway = await startGateway({
      providers: [pricedAt(upstream.baseUrl, { wire: "chat", models: [model, voiceModel] })],
      clock,
    });
    const refusing =
      "Mock refuses every call with the gateway's key (status 401: it is wrong, expired or disabled).";
    assert.deepEqual(await readyz(gateway), [200, undefined]);
    await (await send(gateway)).arrayBuffer();
    assert.deepEqual(await readyz(gateway), [200, refusing]);
    clock.leap(REST_MS);
    assert.deepEqual(await readyz(gateway), [200, refusing]);
    isMended = true;
    assert.equal(
      (await send(gateway).then(async (response) => (await response.arrayBuffer(), response))).status,
      200,
    );
    assert.deepEqual(await readyz(gateway), [200, undefined]);
  });
}

const asModels = (models: unknown) => models as readonly unknown[];

Deno.test("a refused key of a workspace is told as its own, and /readyz names nobody", async () => {
  await using upstream = scripted(json(401, { message: "No." }));
  await using gateway = await startGateway({
    env: { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64() },
    providers: [pricedAt(upstream.baseUrl, { wire: "chat" })],
  });
  const body = { provider: "mock", key: "sk-canary-0f9e8d7c6b5a4321", is_required: true };
  assert.equal((await managed(gateway, { call: "POST /byok", body })).status, 201);
  for (const _ of Array(2)) {
    const response = await call(gateway, { key: gateway.apiKey });
    const text = await response.text();
    assert.equal(response.status, 502, text);
    assert.match(text, /Mock refuses the workspace's own key \(status 401/);
  }
  assert.deepEqual(await readyz(gateway), [200, undefined]);
});
