import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import { modelRequest } from "../../../tests/support/requests.ts";
import { OneShotSignal } from "../../one_shot_signal.ts";
import type { Item } from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import { sourceFrom } from "../../protocols/stream/source.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { RequestContext } from "../request_context.ts";
import { RequestRecord } from "../request_record.ts";
import { UpstreamError } from "../routing/upstream_error.ts";
import { fitContext } from "./fit_context.ts";

const message = (role: "user" | "assistant", words: number): Item => ({
  type: "message",
  role,
  parts: [{ type: "text", text: "word ".repeat(words) }],
});
const conversation = (messages: number, words: number): readonly Item[] =>
  Array.from({ length: messages }, (_, at) => message(at % 2 === 0 ? "user" : "assistant", words));

const endpointOf = (contextLength: number | null, changes: Partial<Endpoint["provider"]> = {}): Endpoint =>
  testEndpoint({ provider: { wire: "chat", ...changes }, model: { contextLength, tokenizer: "GPT" } });

interface Sending {
  readonly endpoint: Endpoint;
  readonly request: Partial<ModelRequest>;
  /** Calls that the provider finds too long. */
  readonly tooLong?: number;
  readonly changes?: Partial<RequestContext>;
}

const clock = { monotonic: () => performance.now() };

/** Sends a request through the stage to a provider that counts otherwise for its first calls. */
async function send({ endpoint, request, tooLong = 0, changes }: Sending) {
  const record = new RequestRecord();
  const sent: ModelRequest[] = [];
  const context: RequestContext = {
    request: modelRequest(request),
    caller: { kind: "api", keyHash: "0".repeat(64), workspaceId: "w" },
    ids: { generation: "gen-1", request: "req_1" },
    clientDisconnect: new OneShotSignal(),
    record,
    call: record.first,
    startedAt: 0,
    endpoint,
    ...changes,
  };
  const handler = fitContext({ clock, limits: { attempts: 4 } })((one) => {
    sent.push(one.request);
    const isRefused = sent.length <= tooLong;
    one.call.attempts.push({ endpoint, status: isRefused ? 400 : 200, sentAt: 0, latencyMs: 0 });
    if (!isRefused) return Promise.resolve({ endpoint, source: sourceFrom([]) });
    const message = "Too many tokens.";
    throw new UpstreamError({
      endpoint,
      kind: "context_length",
      status: 400,
      message,
      endpointSpecific: true,
    });
  });
  const error = await handler(context).then(() => undefined, (reason: unknown) => reason);
  return { sent, error, record: context.record, context };
}

const named: Partial<ModelRequest> = { plugins: [{ id: "context-compression" }] };
const long = conversation(40, 500);

Deno.test("fitContext sends what fits as it is, and leaves no stage", async () => {
  for (const endpoint of [endpointOf(128_000), endpointOf(null), endpointOf(8_192)]) {
    const input = conversation(4, 100);
    const { sent, record, context } = await send({ endpoint, request: { input, ...named } });
    assert.equal(sent[0], context.request);
    assert.deepEqual(record.stages, []);
  }
});

Deno.test("fitContext sends a part of what does not fit, and says how much", async () => {
  const { sent, record } = await send({ endpoint: endpointOf(16_000), request: { input: long, ...named } });
  assert.equal(sent.length, 1);
  const [stage] = record.stages;
  assert.equal(record.stages.length, 1);
  assert.equal(stage?.type, "context_compression");
  assert.equal(stage?.name, "context-compression");
  assert.deepEqual(stage?.data, {
    engine: "middle-out",
    input_type: "messages",
    original_count: 40,
    compressed_count: sent[0]?.input.length,
  });
  assert(sent[0] !== undefined && sent[0].input.length >= 20 && sent[0].input.length < 24, "as much as fits");
});

Deno.test("fitContext leaves a request alone that does not ask for it, whatever its length", async () => {
  const { sent, context } = await send({ endpoint: endpointOf(16_000), request: { input: long } });
  assert.equal(sent[0], context.request);
});

Deno.test("fitContext tries once more with four fifths where the provider counts otherwise", async () => {
  const cases = [
    { endpoint: endpointOf(128_000), request: { input: long, ...named } },
    { endpoint: endpointOf(null), request: { input: long, ...named } },
    { endpoint: endpointOf(16_000), request: { input: long, ...named } },
    { endpoint: endpointOf(16_000), request: { input: long, truncation: "auto" as const } },
  ];
  for (const one of cases) {
    const { sent, error, record } = await send({ ...one, tooLong: 1 });
    assert.equal(error, undefined);
    const [first, second] = sent.map(({ input }) => input.length);
    assert(first !== undefined && second !== undefined && sent.length === 2);
    assert(second <= Math.ceil(first * 0.8) && second >= Math.floor(first * 0.7), `${first}, then ${second}`);
    assert.equal(record.first.resends, 1);
    assert.equal(record.stages[0]?.data?.compressed_count, second);
  }
});

Deno.test("fitContext tries once more only once, and only where it may", async () => {
  const request = { input: long, ...named };
  const endpoint = endpointOf(16_000);
  const again = await send({ endpoint, request, tooLong: 2 });
  assert.equal(again.sent.length, 2);
  assert(again.error instanceof UpstreamError && again.error.info.kind === "context_length");
  assert.deepEqual(again.record.stages, []);

  const gone = new OneShotSignal();
  gone.fire();
  assert.equal(
    (await send({ endpoint, request, tooLong: 1, changes: { clientDisconnect: gone } })).sent.length,
    1,
  );

  const record = new RequestRecord();
  for (let at = 0; at < 3; at++) {
    record.first.attempts.push({ endpoint, status: 500, sentAt: 0, latencyMs: 0 });
  }
  const tried = await send({ endpoint, request, tooLong: 1, changes: { record, call: record.first } });
  assert.equal(tried.sent.length, 1, "no attempt is left");
});

Deno.test("fitContext leaves truncation auto to providers that have it, until one refuses", async () => {
  const endpoint = endpointOf(16_000, { wire: "responses" });
  const request = { input: long, truncation: "auto" as const };
  const { sent, context } = await send({ endpoint, request });
  assert.equal(sent[0], context.request);
  const refused = await send({ endpoint, request, tooLong: 1 });
  assert.equal(refused.sent[1]?.input.at(-1), long.at(-1));
  assert(
    refused.sent[1] !== undefined && refused.sent[1].input.length < 24,
    "what is known of the context holds",
  );
  const builtIn = await send({ endpoint: endpointOf(16_000, { wire: "responses", builtIn: true }), request });
  assert(builtIn.sent[0] !== undefined && builtIn.sent[0].input.length < 30);
});

Deno.test("fitContext passes over an endpoint into which a request cannot be made to fit", async () => {
  const instructions = "word ".repeat(20_000);
  const { sent, error } = await send({ endpoint: endpointOf(16_000), request: { instructions, ...named } });
  assert.equal(sent.length, 0);
  assert(error instanceof UpstreamError && error.info.endpointSpecific);
  assert.match(error.message, /takes 16000 tokens .* about 2\d{4} are its input/);
});

Deno.test("fitContext keeps one stage for a loop of turns, and none for calls that tools make", async () => {
  const endpoint = endpointOf(16_000);
  const first = await send({ endpoint, request: { input: long, ...named } });
  const { record } = first;
  const input = conversation(60, 500);
  await send({ endpoint, request: { input, ...named }, changes: { record, call: record.first } });
  assert.equal(record.stages.length, 1);
  assert.equal(record.stages[0]?.data?.original_count, 60);
  const nested = await send({ endpoint, request: { input: long, ...named }, changes: { isNested: true } });
  assert.equal(nested.sent.length, 1);
  assert.deepEqual(nested.record.stages, []);
});
