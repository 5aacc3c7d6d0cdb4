import assert from "node:assert/strict";
import type { Mock } from "../mocks/serve.ts";
import { startChatMock } from "../mocks/chat_upstream.ts";
import { startGeminiMock } from "../mocks/gemini_upstream.ts";
import { startMessagesMock } from "../mocks/messages_upstream.ts";
import { startResponsesMock } from "../mocks/responses_upstream.ts";
import { type Gateway, mockModel, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";

interface Rig {
  readonly gateway: Gateway;
  readonly mock: Mock;
}

const mocks = {
  messages: startMessagesMock,
  responses: startResponsesMock,
  chat: startChatMock,
  gemini: startGeminiMock,
} as const;

async function withWire(wire: keyof typeof mocks, test: (rig: Rig) => Promise<void>): Promise<void> {
  const mock = mocks[wire]({ apiKey: PROVIDER_KEY });
  try {
    await using gateway = await startGateway({
      providers: [providerAt(mock.url, { wire, models: [mockModel] })],
    });
    await test({ gateway, mock });
  } finally {
    await mock.close();
  }
}

const model = "mock/model";
const messages = [{ role: "user", content: "Hi" }];

/** The least that each API takes. */
const apis: Readonly<Record<string, object>> = {
  "/responses": { model, input: "Hi" },
  "/chat/completions": { model, messages },
  "/messages": { model, messages, max_tokens: 100 },
};

interface Requested {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Value of `anthropic-beta` that the provider is sent. */
async function sent({ gateway, mock }: Rig, { path, headers = {} }: Requested): Promise<string | undefined> {
  const response = await fetch(`${gateway.url}/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(apis[path]),
  });
  assert.equal(response.status, 200, await response.text());
  const upstream = mock.requests.at(-1)?.headers;
  assert(upstream !== undefined);
  assert.equal("x-anthropic-beta" in upstream, false);
  return upstream["anthropic-beta"];
}

const cases: readonly (readonly [Readonly<Record<string, string>>, string | undefined])[] = [
  [{}, undefined],
  [{ "anthropic-beta": "context-1m-2025-08-07" }, "context-1m-2025-08-07"],
  [{ "x-anthropic-beta": "one-2025-01-01, two-2025-01-01" }, "one-2025-01-01,two-2025-01-01"],
  [
    { "x-anthropic-beta": "one-2025-01-01,two-2025-01-01", "anthropic-beta": "two-2025-01-01 ,," },
    "two-2025-01-01,one-2025-01-01",
  ],
  [{ "anthropic-beta": "no name, good-2025-01-01" }, "good-2025-01-01"],
  [{ "anthropic-beta": " , " }, undefined],
];

for (const path of Object.keys(apis)) {
  Deno.test(`the caller's betas reach Anthropic's wire, through ${path}`, () =>
    withWire("messages", async (rig) => {
      for (const [headers, expected] of cases) {
        assert.equal(await sent(rig, { path, headers }), expected, JSON.stringify(headers));
      }
    }));
}

for (const wire of ["responses", "chat", "gemini"] as const) {
  Deno.test(`the caller's betas stay here, on ${wire}`, () =>
    withWire(wire, async (rig) => {
      const headers = { "anthropic-beta": "a-2025-01-01", "x-anthropic-beta": "b-2025-01-01" };
      assert.equal(await sent(rig, { path: "/messages", headers }), undefined);
    }));
}
