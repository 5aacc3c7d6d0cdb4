import assert from "node:assert/strict";
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from "openai";
import { forEach, mocked, type Rig, targets, withTarget } from "./targets.ts";

const messages = [{ role: "user" as const, content: "Hi" }];

type Kind = abstract new (...args: never[]) => APIError;

async function errorOf(openai: OpenAI, body: object): Promise<APIError> {
  const thrown: APIError[] = [];
  await assert.rejects(
    () => openai.post("/chat/completions", { body: { messages, ...body } }),
    (error: unknown) => error instanceof APIError && thrown.push(error) > 0,
  );
  const [error] = thrown;
  assert(error !== undefined);
  return error;
}

const clientOf = ({ gateway }: Rig, apiKey: string) =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });

const long = "x".repeat(257);

/** Faults → the class that is thrown, and its message. */
const wrong: readonly (readonly [Kind, RegExp, (rig: Rig) => Promise<APIError>])[] = [
  [BadRequestError, /temperature is 3/, ({ openai, model }) => errorOf(openai, { model, temperature: 3 })],
  [BadRequestError, /messages is empty/, ({ openai, model }) => errorOf(openai, { model, messages: [] })],
  [BadRequestError, /user is 257 characters/, ({ openai, model }) => errorOf(openai, { model, user: long })],
  [
    BadRequestError,
    /session_id is 257 characters/,
    ({ openai, model }) => errorOf(openai, { model, session_id: long }),
  ],
  [BadRequestError, /^400 n must be 1/, ({ openai, model }) => errorOf(openai, { model, n: 2 })],
  [
    BadRequestError,
    /metadata/,
    ({ openai, model }) => errorOf(openai, { model, metadata: { "a[b]": "c" } }),
  ],
  [AuthenticationError, /valid key/, (rig) => errorOf(clientOf(rig, "wrong"), { model: rig.model })],
  [
    PermissionDeniedError,
    /API keys/,
    (rig) => errorOf(clientOf(rig, rig.gateway.managementKey), { model: rig.model }),
  ],
  [NotFoundError, /no\/such/, ({ openai }) => errorOf(openai, { model: "no/such" })],
  [
    UnprocessableEntityError,
    /tool_choice names the function tool "f"/,
    ({ openai, model }) =>
      errorOf(openai, { model, tool_choice: { type: "function", function: { name: "f" } } }),
  ],
  [
    UnprocessableEntityError,
    /messages\[0\]\.tool_call_id answers the call "x"/,
    ({ openai, model }) =>
      errorOf(openai, { model, messages: [{ role: "tool", tool_call_id: "x", content: "" }] }),
  ],
];

forEach(targets, "openai's chat throws what is wrong", async (rig) => {
  for (const [kind, message, call] of wrong) {
    const error = await call(rig);
    assert(error instanceof kind, `${error.constructor.name}: ${error.message}`);
    assert.match(error.message, message);
    assert.match(error.requestID ?? "", /^req_[0-9a-f]{32}$/);
  }
});

for (const target of mocked) {
  Deno.test(`openai's chat sees a provider's 429 as a RateLimitError, on ${target}`, () =>
    withTarget({ target, upstream: "mock-429" }, async ({ openai, model }) => {
      const error = await errorOf(openai, { model });
      assert(error instanceof RateLimitError);
      assert.match(error.headers?.get("retry-after") ?? "", /^\d+$/);
    }));
}

forEach(["echo"], "the key header of the other door counts for nothing here", async ({ gateway, model }) => {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": gateway.apiKey },
    body: JSON.stringify({ model, messages }),
  });
  await response.body?.cancel();
  assert.equal(response.status, 401);
});
