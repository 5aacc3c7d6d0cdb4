import assert from "node:assert/strict";
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from "openai";
import { PROVIDER_KEY } from "../support/gateway.ts";
import { forEach, mocked, type Rig, type TargetName, targets, withTarget } from "./targets.ts";

type Kind = abstract new (...args: never[]) => APIError;

/** The error of a call that must fail, the same streamed and whole. */
async function errorsOf(openai: OpenAI, body: { readonly model: string; readonly input: string }) {
  const thrown: APIError[] = [];
  for (const stream of [false, true]) {
    await assert.rejects(
      () => openai.responses.create({ ...body, stream }),
      (error: unknown) => error instanceof APIError && thrown.push(error) > 0,
    );
  }
  await assert.rejects(
    () => openai.responses.stream(body).finalResponse(),
    (error: unknown) => error instanceof APIError && thrown.push(error) > 0,
  );
  return thrown;
}

function assertAre(errors: readonly APIError[], kind: Kind): void {
  assert.equal(errors.length, 3);
  for (const error of errors) {
    assert(error instanceof kind, `${error.constructor.name}: ${error.message}`);
    assert.match(error.requestID ?? "", /^req_[0-9a-f]{32}$/);
    assert(error.message.length > 10);
    assert(!JSON.stringify(error.error ?? "").includes(PROVIDER_KEY));
  }
}

const wrong: Readonly<Record<string, readonly [Kind, (rig: Rig) => Promise<readonly APIError[]>]>> = {
  "400 is a BadRequestError": [
    BadRequestError,
    ({ openai, model }) => errorsOf(openai, { model, input: "Hi", ...{ temperature: 3 } }),
  ],
  "401 is an AuthenticationError": [
    AuthenticationError,
    ({ gateway, model }) =>
      errorsOf(new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "wrong", maxRetries: 0 }), {
        model,
        input: "Hi",
      }),
  ],
  "403 is a PermissionDeniedError": [
    PermissionDeniedError,
    ({ gateway, model }) =>
      errorsOf(
        new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.managementKey, maxRetries: 0 }),
        { model, input: "Hi" },
      ),
  ],
  "404 is a NotFoundError": [
    NotFoundError,
    ({ openai }) => errorsOf(openai, { model: "no/such-model", input: "Hi" }),
  ],
  "422 is an UnprocessableEntityError": [
    UnprocessableEntityError,
    ({ openai, model }) =>
      errorsOf(openai, {
        model,
        input: "Hi",
        ...{ tool_choice: { type: "function", name: "nobody" }, tools: [] },
      }),
  ],
};

for (const [what, [kind, call]] of Object.entries(wrong)) {
  forEach(targets, `openai's ${what}`, async (rig) => assertAre(await call(rig), kind));
}

/** Statuses of the provider → those that the caller sees. */
const upstream: readonly (readonly [number, number, Kind])[] = [
  [400, 400, BadRequestError],
  [401, 502, InternalServerError],
  [402, 502, InternalServerError],
  [403, 502, InternalServerError],
  [429, 429, RateLimitError],
  [500, 502, InternalServerError],
  // Its words say that it is overloaded, and words count for more than the status.
  [503, 529, InternalServerError],
  [529, 529, InternalServerError],
];

async function failing(target: TargetName, status: number): Promise<APIError> {
  const thrown: APIError[] = [];
  await withTarget({ target, upstream: `mock-${status}` }, async ({ openai, model }) => {
    await assert.rejects(
      () => openai.responses.create({ model, input: "Hi" }),
      (error: unknown) => error instanceof APIError && thrown.push(error) > 0,
    );
  });
  const [error] = thrown;
  assert(error !== undefined);
  return error;
}

for (const target of mocked) {
  for (const [theirs, ours, kind] of upstream) {
    Deno.test(`openai sees ${ours} where the provider answers ${theirs}, on ${target}`, async () => {
      const error = await failing(target, theirs);
      assert.equal(error.status, ours);
      assert(error instanceof kind);
      assert(!error.message.includes("sk-"), "no key is in the message");
      if (theirs === 429) assert.match(error.headers?.get("retry-after") ?? "", /^\d+$/);
    });
  }
}

forEach(["echo"], "openai's own retries stop where nothing can get better", async ({ gateway }) => {
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 2 });
  await assert.rejects(() => openai.responses.create({ model: "no/such", input: "Hi" }), NotFoundError);
});

forEach(targets, "openai is told that responses are not stored", async ({ openai, model }) => {
  await assert.rejects(
    () => openai.responses.create({ model, input: "Hi", store: true }),
    (error: unknown) => error instanceof BadRequestError && /store/.test(error.message),
  );
  await assert.rejects(
    () => openai.responses.create({ model, input: "Hi", previous_response_id: "resp_1" }),
    (error: unknown) => error instanceof BadRequestError && /previous_response_id/.test(error.message),
  );
  await assert.rejects(() => openai.responses.retrieve("resp_1"), NotFoundError);
});
