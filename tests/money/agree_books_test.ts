/**
 * All books agree after a random session: receipts, keys, workspaces, credits, activity and analytics tell the same
 * sums to the nano-dollar, and nothing is held any more (promises M4, M7).
 */

import assert from "node:assert/strict";
import type { CloseEntry } from "../../server/billing/ledger/journal/journal_batch.ts";
import { startChatMock } from "../mocks/chat_upstream.ts";
import { startMessagesMock } from "../mocks/messages_upstream.ts";

import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, PROVIDER_KEY, providerAt, startGateway } from "../support/gateway.ts";
import { assertSound, closesOf } from "../support/journal.ts";
import { createKey, type MadeKey, managed } from "../support/manage.ts";
import { type CountedClock, tickingClock } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";
import { apiNames, call } from "./rig.ts";
import { seed } from "../support/seed.ts";
import { seeded } from "../fuzz/random.ts";

const REQUESTS = 300;
const AT_ONCE = 8;
/** USD: more than absurd counts come to. */
const CREDITS = 1_000_000;
const DAY = 86_400_000;

const pricing = {
  prompt: "0.00000123",
  completion: "0.00000457",
  input_cache_read: "0.0000001",
  internal_reasoning: "0.000009",
  request: "0.000000001",
};
const faults = [
  ...["", "", "", "-429", "-500", "-cut", "-end", "-error-before", "-error-after", "-malformed", "-late"],
  ...["-no-usage", "-wrong-usage", "-stall", "-hang", "-drip-3", "-empty", "-html"],
];

/** Every fault on two wires, and a model that is free. */
function providersAt(chat: string, messages: string) {
  const rows = (prefix: string, of: string) =>
    [...new Set(faults)].map((fault) => ({
      id: `${of}/plain${fault}`,
      upstream_id: `${prefix}mock${fault}`,
      context_length: 200_000,
      max_output_tokens: 4_000,
      pricing,
    }));
  const free = { id: "chat/free", upstream_id: "mock", pricing: { prompt: "0", completion: "0" } };
  return [
    providerAt(chat, { id: "chatty", wire: "chat", models: [...rows("", "chat"), free] }),
    providerAt(messages, { id: "wordy", wire: "messages", models: rows("claude-haiku-4-5-", "messages") }),
  ];
}

/** Real time, some days later when it is told. */
function shiftedClock(): CountedClock & { shift: number } {
  const inner = tickingClock();
  return {
    shift: 0,
    now() {
      return inner.now() + this.shift;
    },
    monotonic: () => inner.monotonic(),
    after: (ms, run) => inner.after(ms, run),
    get open() {
      return inner.open;
    },
  };
}

interface Session {
  readonly gateway: Gateway;
  readonly random: () => number;
  readonly keys: readonly MadeKey[];
  /** Ids of answers whose end was seen. */
  readonly seen: string[];
}

const pick = <One>({ random }: Pick<Session, "random">, from: readonly One[]): One => {
  const found = from[Math.floor(random() * from.length)];
  assert(found !== undefined);
  return found;
};

/** One request with a random ending: read to its end, or disconnected on at any time. */
async function ask(session: Session): Promise<void> {
  const { gateway, random, seen } = session;
  const fault = pick(session, faults);
  const model = random() < 0.1 ? "chat/free" : `${pick(session, ["chat", "messages"])}/plain${fault}`;
  const endless = /stall|hang/.test(model);
  const leave = new AbortController();
  const api = pick(session, apiNames);
  const choice = api === "messages" ? { type: "any" } : "required";
  const loop = { tools: [{ type: "service:datetime" }], tool_choice: choice };
  const timer = endless || random() < 0.3 ? setTimeout(() => leave.abort(), random() * 400) : undefined;
  try {
    const response = await call(gateway, {
      api,
      key: pick(session, session.keys).key,
      model,
      stream: random() < 0.6,
      text: "word ".repeat(Math.ceil(random() * 40)),
      cap: random() < 0.5 ? undefined : Math.ceil(random() * 900),
      more: random() < 0.3 ? loop : {},
      signal: leave.signal,
    });
    await response.text();
    const id = response.headers.get("x-generation-id");
    if (id !== null) seen.push(id);
  } catch (error) {
    // Hung up by us, or broken off by the fault.
    assert(error instanceof Error, String(error));
  } finally {
    clearTimeout(timer);
  }
}

async function answered(
  gateway: Gateway,
  { call, token, body }: Parameters<typeof managed>[1],
): Promise<Json> {
  const answer = await managed(gateway, { call, token, body });
  assert(answer.status === 200 || answer.status === 201, `${call}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const dataOf = async (...requested: Parameters<typeof answered>) =>
  asObject((await answered(...requested)).data);
const nano = (usd: unknown): number => Math.round(Number(usd) * 1e9);
const sumOf = <One>(all: readonly One[], of: (one: One) => number) =>
  all.reduce((sum, one) => sum + of(one), 0);

/** Two workspaces, one with a budget and a provider key of its own; five keys with and without limits. */
async function begin(gateway: Gateway): Promise<readonly MadeKey[]> {
  const lab = await dataOf(gateway, { call: "POST /workspaces", body: { name: "Lab", slug: "lab" } });
  const workspace_id = String(lab.id);
  await answered(gateway, { call: "POST /credits", body: { amount_usd: CREDITS, reason: "to try" } });
  const body = { limit_usd: 5_000 };
  await answered(gateway, { call: `PUT /workspaces/${workspace_id}/budgets/monthly`, body });
  await answered(gateway, {
    call: "POST /byok",
    body: { provider: "wordy", key: PROVIDER_KEY, workspace_id },
  });
  return [
    await createKey(gateway),
    await createKey(gateway, { limit: 0.02, limit_reset: "daily" }),
    await createKey(gateway, {
      limit: 0.03,
      workspace_id,
      include_byok_in_limit: true,
      limit_reset: "weekly",
    }),
    await createKey(gateway, { limit: 40, workspace_id }),
    await createKey(gateway, { workspace_id }),
  ];
}

/** Nothing is held, and nobody is on his way to it. */
async function quiet({ gateway, keys }: Session): Promise<void> {
  await until(async () => {
    await gateway.ledger.flush();
    let held = 0;
    for (const { key } of keys) {
      const body = { model: "chat/plain", input: "Hi", max_output_tokens: 5 };
      const { reservation } = await answered(gateway, { call: "POST /route/explain", token: key, body });
      const { limits } = asObject(reservation);
      held += sumOf(asList(limits).map(asObject), ({ reserved_usd }) => nano(reserved_usd));
    }
    return held === 0;
  }, { what: "that nothing is held" });
}

interface Books {
  readonly session: Session;
  readonly closes: readonly CloseEntry[];
}

/** How many requests they tell of: some refusals share a receipt. */
const requestsOf = (closes: readonly CloseEntry[]) => sumOf(closes, ({ receipt }) => receipt.stands_for ?? 1);

async function assertKeys({ session: { gateway, keys }, closes }: Books): Promise<void> {
  for (const { key, record } of keys) {
    const own = closes.filter(({ receipt }) => receipt.key_hash === record.hash);
    const [cost, byok] = [sumOf(own, (one) => one.cost), sumOf(own, (one) => one.byok)];
    const counts = cost + (record.include_byok_in_limit ? byok : 0);
    const left = record.limit === null ? null : Math.max(0, nano(record.limit) - counts);
    for (
      const data of [
        await dataOf(gateway, { call: `GET /keys/${record.hash}` }),
        await dataOf(gateway, { call: "GET /key", token: key }),
      ]
    ) {
      assert.deepEqual([nano(data.usage), nano(data.byok_usage)], [cost, byok], record.hash);
      assert.deepEqual([nano(data.usage_daily), nano(data.byok_usage_monthly)], [cost, byok]);
      assert.equal(data.limit_remaining === null ? null : nano(data.limit_remaining), left);
    }
    const { days, spend } = await dataOf(gateway, { call: "GET /key/usage", token: key });
    const rows = asList(days).map(asObject);
    assert.equal(sumOf(rows, ({ usage }) => nano(usage)), cost);
    assert.equal(sumOf(rows, ({ byok_usage }) => nano(byok_usage)), byok);
    assert.equal(sumOf(rows, ({ requests }) => Number(requests)), requestsOf(own));
    assert.equal(nano(asObject(asObject(spend).total).usage), cost);
    assert(
      record.limit === null || counts <= nano(record.limit) || own.some(({ receipt }) => receipt.overrun > 0),
    );
  }
}

type Named = readonly [dimension: string, of: (entry: CloseEntry) => string];

const dimensions: readonly Named[] = [
  ["api_key_id", ({ receipt }) => receipt.key_hash],
  ["workspace", ({ receipt }) => receipt.workspace_id],
  ["model", ({ receipt }) => receipt.model ?? ""],
  ["status", ({ receipt }) => receipt.status],
];

async function assertAnalytics({ session: { gateway }, closes }: Books): Promise<void> {
  const metrics = ["total_usage", "usage_byok", "request_count"];
  for (const [dimension, of] of dimensions) {
    const body = { metrics, dimensions: [dimension] };
    const { data } = await dataOf(gateway, { call: "POST /analytics/query", body });
    const rows = asList(data).map(asObject).map((row) => [
      row[dimension] ?? "",
      ...[nano(row.total_usage), nano(row.usage_byok), Number(row.request_count)],
    ]);
    const names = [...new Set(closes.map(of))];
    const counted = names.map((name) => {
      const some = closes.filter((one) => of(one) === name);
      return [name, sumOf(some, (one) => one.cost), sumOf(some, (one) => one.byok), requestsOf(some)];
    });
    assert.deepEqual(rows.map(String).sort(), counted.map(String).sort(), dimension);
  }
}

async function assertReceipts({ session: { gateway }, closes }: Books): Promise<void> {
  const listed: Json[] = [];
  for (let before = "";;) {
    const page = await answered(gateway, { call: `GET /receipts?limit=100${before}` });
    listed.push(...asList(page.data).map(asObject));
    if (page.next === null) break;
    before = `&before=${encodeURIComponent(String(page.next))}`;
  }
  const costs = new Map(closes.map(({ receipt, cost, byok }) => [receipt.id, [cost, cost + byok]]));
  assert.equal(listed.length, closes.length);
  for (const one of listed) {
    assert.deepEqual([nano(one.cost), nano(one.upstream_cost)], costs.get(String(one.id)));
    const sides = [one.input_cost, one.output_cost, one.server_tool_cost].map(nano);
    assert.equal(sumOf(sides, (side) => side), nano(one.upstream_cost));
    const calls = one.calls === undefined ? undefined : asList(one.calls).map(asObject);
    assert.equal(sumOf(calls ?? [one], ({ cost }) => nano(cost)), nano(one.cost));
  }
}

Deno.test(`all books agree after a random session, SEED=${seed}`, async () => {
  await using stack = new AsyncDisposableStack();
  const [chat, messages] = [startChatMock({ gapMs: 1 }), startMessagesMock({ gapMs: 1 })];
  for (const mock of [chat, messages]) stack.defer(() => mock.close());
  const clock = shiftedClock();
  const gateway = stack.use(
    await startGateway({
      env: { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64() },
      providers: providersAt(chat.url, messages.url),
      // Once in a while the server does not hear that a client has left; then a deadline ends the call.
      limits: { first_byte_seconds: 2, silence_seconds: 2, stream_seconds: 4, answer_seconds: 2 },
      clock,
    }),
  );
  const session: Session = { gateway, random: seeded(seed).next, keys: await begin(gateway), seen: [] };
  let left = REQUESTS;
  const asking = async () => {
    while (left-- > 0) await ask(session);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, asking));
  await quiet(session);
  const closes = await closesOf(gateway.store);
  const books = { session, closes };
  assert(closes.length > REQUESTS / 2 && sumOf(closes, ({ cost }) => cost) > 0);
  assert(sumOf(closes, ({ byok }) => byok) > 0, "somebody used his own provider key");
  const loops = closes.filter(({ receipt: { calls = [] } }) => calls.length >= 3);
  assert(loops.length > 5, `${loops.length} loops came to a second turn`);
  const scopes = [...new Set(closes.flatMap((one) => one.scopes))];
  await gateway.ledger.caughtUp();
  await assertSound(gateway.store, { instances: ["own"], scopes, seen: session.seen });
  await assertReceipts(books);
  await assertKeys(books);
  await assertAnalytics(books);
  const credits = await dataOf(gateway, { call: "GET /credits" });
  assert.deepEqual([nano(credits.total_credits), nano(credits.total_usage)], [
    CREDITS * 1e9,
    sumOf(closes, ({ cost }) => cost),
  ]);
  // Activity tells of days that are over.
  clock.shift = 2 * DAY;
  const activity = asList((await answered(gateway, { call: "GET /activity" })).data).map(asObject);
  assert.equal(sumOf(activity, ({ usage }) => nano(usage)), sumOf(closes, ({ cost }) => cost));
  assert.equal(
    sumOf(activity, ({ byok_usage_inference }) => nano(byok_usage_inference)),
    sumOf(closes, ({ byok }) => byok),
  );
});
