/** `GET /receipts/tail` over sockets and for sessions of the console: who reads it, for how long, and what they get. */

import assert from "node:assert/strict";
import { call, pricedAt } from "../money/rig.ts";
import { signedIn } from "../support/console_client.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, manage, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { patiently, pause, until } from "../support/until.ts";

/** A client that reads frame by frame. */
class TailClient {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(response: Response) {
    assert.equal(response.status, 200);
    assert(response.body !== null);
    this.response = response;
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next frame, comments included; undefined at the end. */
  async frame(): Promise<string | undefined> {
    while (!this.#text.includes("\n\n")) {
      const { value, done } = await patiently(this.#reader.read(), "a frame");
      if (done) return undefined;
      this.#text += value;
    }
    const end = this.#text.indexOf("\n\n");
    const frame = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 2);
    return frame;
  }

  /** The next event's data; undefined at the end. */
  async event(): Promise<Json | undefined> {
    for (;;) {
      const frame = await this.frame();
      if (frame === undefined) return undefined;
      if (frame.startsWith(":")) continue;
      const [, data] = /^event: receipt\ndata: ([^\r\n]*)$/.exec(frame) ?? [];
      assert(data !== undefined, frame);
      return asObject(JSON.parse(data));
    }
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }
}

/** Receipts that a tail told of, and those that it left out. */
interface Followed {
  readonly ids: Set<string>;
  leftOut: number;
}

/** Reads a tail to its end. */
async function readAll(client: TailClient, into: Followed): Promise<void> {
  for (let frame = await client.frame(); frame !== undefined; frame = await client.frame()) {
    const [, event, data = ""] = /^event: (\w+)\ndata: ([^\r\n]*)$/.exec(frame) ?? [];
    if (event === "receipt") into.ids.add(String(asObject(JSON.parse(data)).id));
    if (event === "left_out") into.leftOut += Number(asObject(JSON.parse(data)).count);
  }
}

async function follow(gateway: Gateway, query = ""): Promise<TailClient> {
  const client = new TailClient(await manage(gateway, { call: `GET /receipts/tail${query}` }));
  assert.equal(await client.frame(), ": waiting");
  return client;
}

Deno.test("GET /receipts/tail tells of a gateway's own receipts, and of those of others on its store", async () => {
  await using upstream = scripted(says("chat", "Hello there."));
  const providers = [pricedAt(upstream.baseUrl, { wire: "chat" })];
  await using first = await startGateway({ providers, shared: true });
  await using second = await startGateway({ providers, beside: first });
  const { key } = await createKey(first);
  await (await call(second, { key, more: { user: "before" } })).text();
  const client = await follow(first);
  let told: Json | undefined;
  const telling = client.event().then((event) => told = event);
  await until(async () => {
    await (await call(second, { key, more: { user: "since" } })).text();
    await pause(100);
    return told !== undefined;
  }, { what: "that the first tells of the second" });
  assert.equal((await telling)?.user, "since");
  await (await call(first, { key, more: { user: "own" } })).text();
  let own: Json | undefined;
  while (own?.user !== "own") own = await client.event();
  const { body } = await managed(first, { call: "GET /receipts" });
  assert.ok(JSON.stringify(body.data).includes(JSON.stringify(told?.id)));
  await client.leave();
});

const ODD = "</script>\r\n\r\nevent: receipt\ndata: {}\u202e\u2028=cmd()";

Deno.test("GET /receipts/tail shows a receipt as the list has it, whatever texts are in it", async () => {
  await using upstream = scripted(says("chat", "Hello there."));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key, record: { hash } } = await createKey(gateway);
  const client = await follow(gateway, `?api_key_hash=${hash}&q=cmd`);
  assert.match(client.response.headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.equal(client.response.headers.get("cache-control"), "no-store");
  await (await call(gateway, { key })).text();
  await (await call(gateway, { key, more: { user: ODD } })).text();
  const told = await client.event();
  const { body } = await managed(gateway, { call: "GET /receipts?q=cmd" });
  assert.deepEqual([told], body.data);
  assert.equal(told?.user, ODD);
  await client.leave();
});

Deno.test("GET /receipts/tail forgets readers that went away, and lets 20 in at a time", async () => {
  await using gateway = await startGateway();
  const clients = await Promise.all(Array.from({ length: 20 }, () => follow(gateway)));
  const refused = await managed(gateway, { call: "GET /receipts/tail" });
  assert.equal(refused.status, 429);
  assert.match(String(asObject(refused.body.error).message), /20 readers follow them already/);
  assert(Number(refused.headers.get("retry-after")) > 0);
  assert.equal(gateway.receiptTail.readers, 20);
  await Promise.all(clients.map((client) => client.leave()));
  await until(() => gateway.receiptTail.readers === 0, { what: "that nobody reads" });
  const head = await fetch(`${gateway.url}/v1/receipts/tail`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${gateway.managementKey}` },
  });
  assert.equal(head.status, 200);
  await until(() => gateway.receiptTail.readers === 0, { what: "that a HEAD reads nothing" });
});

Deno.test("GET /receipts/tail refuses a filter that the list refuses", async () => {
  await using gateway = await startGateway();
  for (const query of ["status=gone", `q=${"x".repeat(501)}`, "min_ms=much", "since=yesterday"]) {
    const [tail, list] = await Promise.all(
      ["/receipts/tail", "/receipts"].map((path) => managed(gateway, { call: `GET ${path}?${query}` })),
    );
    assert.deepEqual([tail?.status, list?.status], [400, 400], query);
  }
  assert.equal(gateway.receiptTail.readers, 0);
});

const quick = { heartbeat_seconds: 1 };

Deno.test("GET /receipts/tail sends comments, and ends when its key is disabled", async () => {
  await using gateway = await startGateway({ limits: quick });
  const made = await managed(gateway, { call: "POST /management-keys", body: { name: "Reader" } });
  const { key, data } = made.body;
  const client = new TailClient(
    await manage(gateway, { call: "GET /receipts/tail", token: String(key) }),
  );
  for (let frame = 0; frame < 3; frame++) assert.equal(await client.frame(), ": waiting");
  const { status } = await managed(gateway, {
    call: `PATCH /management-keys/${asObject(data).hash}`,
    body: { disabled: true },
  });
  assert.equal(status, 200);
  assert.equal(await client.event(), undefined);
  assert.equal(gateway.receiptTail.readers, 0);
});

Deno.test("GET /receipts/tail ends with the session of the console that opened it", async () => {
  await using gateway = await startGateway({ limits: quick });
  const session = await signedIn(gateway);
  const client = new TailClient(await session.send({ call: "GET /api/receipts/tail" }));
  assert.equal(await client.frame(), ": waiting");
  assert.equal((await session.answer({ call: "DELETE /session" })).status, 200);
  assert.equal(await client.event(), undefined);
  assert.equal(gateway.receiptTail.readers, 0);
});

const REQUESTS = 300;

Deno.test("GET /receipts/tail loses nothing but what it counts, beside another tail and a search", async () => {
  await using upstream = scripted(says("chat", "Hello there."));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key } = await createKey(gateway);
  const clients = [await follow(gateway), await follow(gateway, "?q=mock")];
  const followed = clients.map((client) => ({ client, ids: new Set<string>(), leftOut: 0 }));
  const reading = Promise.all(followed.map((one) => readAll(one.client, one)));
  const made = new Set<string>();
  let left = REQUESTS;
  const ask = async () => {
    while (left-- > 0) {
      const response = await call(gateway, { key });
      await response.text();
      made.add(response.headers.get("x-generation-id") ?? "");
    }
  };
  const search = async () => {
    while (left > 0) await managed(gateway, { call: "GET /receipts?q=nothing-has-this" });
  };
  await Promise.all([...Array.from({ length: 16 }, ask), search()]);
  const isTold = ({ ids, leftOut }: Followed) => ids.size + leftOut === REQUESTS;
  await until(() => followed.every(isTold), { what: "that each receipt is told of or counted" });
  for (const { ids } of followed) assert.deepEqual([...ids].filter((id) => !made.has(id)), []);
  await Promise.all(clients.map((client) => client.leave()));
  await reading;
  await until(() => gateway.receiptTail.readers === 0, { what: "that nobody reads" });
});
