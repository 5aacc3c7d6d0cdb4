/** The gateway's API as a client sees it on the wire, before a provider that repeats what it was told. */

import assert from "node:assert/strict";
import { asObject } from "./event_stream.ts";
import { type Gateway, type GatewayOptions, providerAt, startGateway } from "./gateway.ts";
import { Line } from "./raw_client.ts";
import type { Reply } from "./reply.ts";
import { says, type Scripted, scripted } from "./scripted.ts";

export interface ApiRig {
  readonly gateway: Gateway;
  /** Says `Heard …` with the request's input. */
  readonly upstream: Scripted;
  readonly open: () => Promise<Line>;
}

/** Runs a test; afterwards an ordinary request is answered, and nothing was logged as our fault. */
export async function withApi(
  test: (rig: ApiRig) => Promise<void>,
  options: Omit<GatewayOptions, "providers"> = {},
): Promise<void> {
  await using upstream = scripted((requested, number) =>
    says("responses", `Heard ${inputOf(requested.body)}`)(requested, number)
  );
  await using gateway = await startGateway({ ...options, providers: [providerAt(upstream.baseUrl)] });
  await test({ gateway, upstream, open: () => Line.open(gateway.port) });
  await assertServes(gateway);
  assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
}

/** The text of a question as the provider was asked it. */
export function inputOf(body: unknown): string {
  const { input } = asObject(body);
  if (typeof input === "string") return input;
  return [...JSON.stringify(input).matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text).join("");
}

/** An ordinary question on a connection of its own gets its answer. */
export async function assertServes(gateway: Gateway): Promise<void> {
  await using line = await Line.open(gateway.port);
  await line.send(question(gateway, { input: "still there" }));
  assertHeard(await line.reply(), "still there");
}

export interface Question {
  readonly model?: string;
  readonly input?: string;
  readonly stream?: boolean;
  readonly path?: string;
  readonly version?: string;
  /** Chunks of these sizes, over and over, instead of a length. */
  readonly chunks?: readonly number[];
  /** Whole lines, each with its end. */
  readonly fields?: string;
  readonly key?: string;
}

type Requested = Pick<Gateway, "port" | "apiKey">;

/** A whole request as a client would send it. */
export function question(gateway: Requested, preference: Question = {}): string {
  const { head, body } = questionParts(gateway, preference);
  return head + body;
}

/** The head with its empty line, and the body with its framing. */
export function questionParts(
  { port, apiKey }: Requested,
  preference: Question = {},
): { readonly head: string; readonly body: string } {
  const { input = "Hi", stream, path = "/v1/responses", version = "1.1", chunks, fields = "" } = preference;
  const json = JSON.stringify({ model: preference.model ?? "mock/model", input, stream });
  const body = chunks === undefined ? json : chunked(json, chunks);
  const framing = chunks === undefined ? `Content-Length: ${json.length}` : "Transfer-Encoding: chunked";
  const head = `POST ${path} HTTP/${version}\r\nHost: 127.0.0.1:${port}\r\n` +
    `Authorization: Bearer ${
      preference.key ?? apiKey
    }\r\nContent-Type: application/json\r\n${fields}${framing}\r\n\r\n`;
  return { head, body };
}

/** A text as chunks of these sizes, over and over, with the last one. */
export function chunked(text: string, sizes: readonly number[] = [text.length]): string {
  let all = "";
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const chunk = text.slice(at, at + Math.max(1, sizes[turn % sizes.length] ?? 1));
    all += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  return `${all}0\r\n\r\n`;
}

export interface Lookup {
  readonly method?: string;
  readonly version?: string;
  readonly fields?: string;
}

/** A request without a body. */
export function lookup(
  { port, apiKey }: Requested,
  ...[path, { method = "GET", version = "1.1", fields = "" } = {}]: readonly [path: string, wish?: Lookup]
): string {
  return `${method} ${path} HTTP/${version}\r\nHost: 127.0.0.1:${port}\r\n` +
    `Authorization: Bearer ${apiKey}\r\n${fields}\r\n`;
}

/** The provider's answer to this question has come through, whole or streamed. */
export function assertHeard({ status, text }: Reply, input: string): void {
  assert.equal(status, 200, text);
  assert(text.includes(`"Heard ${input}"`), `${JSON.stringify(text.slice(0, 300))} repeats ${input}`);
}

export interface Refused {
  readonly statuses: readonly number[];
  readonly to?: string;
}

/** The next answer is a refusal, can be read, and is the last: the connection is closed behind it. */
export async function assertRefused(line: Line, { statuses, to }: Refused): Promise<Reply> {
  const reply = await line.reply({ to });
  assertStatus(reply, statuses);
  assert.equal(reply.keepsAlive, false, "the answer says that it is the last");
  assert.equal(reply.headers.get("connection"), "close");
  assert.equal(await line.ended(), "fin", "the connection is not broken off");
  return reply;
}

/** Asserts that a request was refused; where it was framed well, the connection goes on with the next question. */
export async function assertTurnedDown(
  line: Line,
  { statuses, to, gateway }: Refused & { readonly gateway: Requested },
): Promise<void> {
  const reply = await line.reply({ to });
  assertStatus(reply, statuses);
  if (!reply.keepsAlive) return assert.equal(await line.ended(), "fin", "the connection is not broken off");
  await line.send(question(gateway, { input: "the next" }));
  assertHeard(await line.reply(), "the next");
}

function assertStatus({ status, text }: Reply, statuses: readonly number[]): void {
  assert(statuses.includes(status), `status ${status}, not ${statuses.join(" or ")}: ${text.slice(0, 200)}`);
}
