/** Damaged requests against the running app: each is answered, none is our fault. */

import assert from "node:assert/strict";
import { startChatMock } from "../mocks/chat_upstream.ts";
import { startResponsesMock } from "../mocks/responses_upstream.ts";
import { askInside } from "../support/call.ts";
import { asObject, checkStream, isObject, parseStream } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { type MutatedRequest, mutatedRequests } from "./mutate.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(2_000);

/** Most of the recorded models are not there; one answers for all. */
function withModel(text: string, model: string): string {
  return text.replace(/"model":"(?:[^"\\]|\\.)*"/, `"model":"${model}"`);
}

interface Sending {
  readonly gateway: Gateway;
  readonly model: string;
}

type Outcome = "answered" | "streamed" | number;

async function send({ text }: MutatedRequest, { gateway, model }: Sending): Promise<Outcome> {
  const response = await askInside(gateway, withModel(text, model));
  const body = await response.text();
  const { status } = response;
  if (status >= 400) {
    assertNotOurs(text, body);
    return judgeRefusal(status, body);
  }
  assert.equal(status, 200);
  if (response.headers.get("content-type") === "application/json") {
    const { status: ended, error } = asObject(JSON.parse(body));
    assert(ended === "completed" || ended === "incomplete", `${ended}: ${JSON.stringify(error)}`);
    return "answered";
  }
  const { status: ended, error } = checkStream(parseStream(body));
  assert(ended === "completed" || ended === "incomplete", `${ended}: ${JSON.stringify(error)}`);
  return "streamed";
}

/** Checks that an unknown parameter inside a hosted tool is the client's own word, and not ours. */
function assertNotOurs(text: string, body: string): void {
  if (!body.includes("unknown_parameter")) return;
  const key = /Unknown parameter: '(?:[^']*\.)?([^'.]*)'/.exec(body)?.[1];
  assert(
    key !== undefined && clientReceived(text, key),
    `the provider was sent what it does not know: ${body}`,
  );
}

/** Whether a word is the client's own; half of a character came back as the replacement character. */
function clientReceived(text: string, word: string): boolean {
  if (text.includes(word)) return true;
  let received = false;
  JSON.parse(text, (key, value: unknown) => {
    received ||= key.toWellFormed().includes(word);
    return value;
  });
  return received;
}

function judgeRefusal(status: number, body: string): number {
  const { error } = asObject(JSON.parse(body));
  const { code, message, metadata } = asObject(error);
  assert([400, 404, 413, 422].includes(status), `status ${status}: ${body.slice(0, 500)}`);
  assert.equal(code, status);
  assert(typeof message === "string" && message.length < 5_000 && message.isWellFormed());
  if (status === 404 || status === 413) return status;
  const path = isObject(metadata) ? metadata.path ?? metadata.provider_name : undefined;
  assert(typeof path === "string" && path !== "", `${status} names its path: ${body.slice(0, 500)}`);
  return status;
}

async function sendAll(sending: Sending, most: number): Promise<void> {
  const seen = new Map<Outcome, number>();
  for (const mutated of mutatedRequests(seed, most)) {
    try {
      const outcome = await send(mutated, sending);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    } catch (cause) {
      const what = `SEED=${seed}: ${mutated.done.join(", ")}\n${mutated.text.slice(0, 2_000)}`;
      throw new Error(what, { cause });
    }
  }
  for (const outcome of ["answered", "streamed", 400] as const) {
    assert((seen.get(outcome) ?? 0) > most / 200, `too few are ${outcome}: ${seen.get(outcome)}`);
  }
  assert(!("polluted" in {}));
  assert.deepEqual(sending.gateway.logged.filter((line) => line.includes('"level":"error"')), []);
}

Deno.test("POST /responses answers every mutated request without a fault of its own, on echo", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on", LOG_LEVEL: "warn" } });
  await sendAll({ gateway, model: "local/echo" }, count);
});

/** These refuse whatever the provider's published request types do not have. */
const mocks = { responses: startResponsesMock, chat: startChatMock } as const;

for (const wire of ["responses", "chat"] as const) {
  Deno.test(`POST /responses answers every mutated request without a fault of its own, on ${wire}`, async () => {
    const mock = mocks[wire]();
    try {
      const providers = [providerAt(mock.url, { wire })];
      await using gateway = await startGateway({ providers, env: { LOG_LEVEL: "warn" } });
      await sendAll({ gateway, model: "mock/model" }, Math.ceil(count / 4));
    } finally {
      await mock.close();
    }
  });
}
