/**
 * Changes of a caller while a request of its runs: a request with a server tool is held in its first turn until the
 * change is made, and then shows whether it buys another one.
 */

import assert from "node:assert/strict";
import type { Receipt } from "../../shared/receipts.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, type GatewayOptions, PROVIDER_KEY } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { chatTurn, type Requested, type Scripted, scripted } from "../support/scripted.ts";
import type { ShiftedTime } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";
import { type ApiName, call, pricedAt, receiptOf } from "../money/rig.ts";

/** Secret of a provider key that the workspace has brought. */
export const BYOK_SECRET = "sk-canary-7d6c5b4a3f2e1d0c";
export const env = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(7).toBase64() };

/** Nano-USD of one turn. */
export const TURN_COST = 17_000;

/** A provider whose first turns wait to be let go, call the clock then, and would end with a text in the next. */
export class HeldProvider {
  readonly upstream: Scripted;
  #waiting: (() => void)[] = [];

  constructor() {
    this.upstream = scripted(({ body }) => this.#answer(body));
  }

  /** First turns that are held. */
  get held(): number {
    return this.#waiting.length;
  }

  release(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  get options(): Pick<GatewayOptions, "providers" | "env"> {
    return { providers: [pricedAt(this.upstream.baseUrl, { wire: "chat" })], env };
  }

  async #answer(body: Json): Promise<Response> {
    const isFirst = asList(body.messages).every((one) => asObject(one).role !== "tool");
    if (!isFirst) return chatTurn(body, { content: "Too many turns." });
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const name = asList(body.tools).map((tool) => asObject(asObject(tool).function).name)[0];
    const one = {
      id: "call_1",
      type: "function",
      function: { name, arguments: '{"timezone":"Asia/Tokyo"}' },
    };
    return chatTurn(body, { content: "Let me see.", tool_calls: [{ index: 0, ...one }] });
  }
}

/** A key in a workspace of its own, and what can be changed of them. */
export interface ChangedCaller {
  readonly key: string;
  readonly hash: string;
  readonly slug: string;
  readonly guardrail: string;
  readonly byok?: string;
}

export interface ChangeInput {
  /** The gateway that is told of the change. */
  readonly gateway: Gateway;
  readonly caller: ChangedCaller;
  readonly time: ShiftedTime;
}

export interface CallerChange {
  readonly make: (input: ChangeInput) => Promise<void>;
  /** Whether a gateway knows of it: any request of the key shows it. */
  readonly isKnown: (gateway: Gateway, caller: ChangedCaller) => Promise<boolean>;
  /** Whether the workspace has a provider key of its own. */
  readonly withByok?: true;
  /** Ends the request; absent where it goes on without what was taken away. */
  readonly error?: ChangeError;
}

interface ChangeError {
  readonly kind: string;
  readonly status: number;
  readonly words: RegExp;
}

async function change(gateway: Gateway, line: string, body?: Json): Promise<void> {
  const { status, body: answer } = await managed(gateway, { call: line, body });
  assert.ok(status < 300, `${line}: ${status} ${JSON.stringify(answer)}`);
}

/** By a request that asks what the gateway holds of the key; `GET /key` reads its record, and would know earlier. */
const isRefused = async (gateway: Gateway, { key }: ChangedCaller): Promise<boolean> => {
  const body = { model: "mock/model", input: "Hi" };
  return (await managed(gateway, { call: "POST /route/explain", token: key, body })).status === 401;
};

async function explained(gateway: Gateway, { key }: ChangedCaller): Promise<Json> {
  const body = { model: "mock/model", input: "Hi" };
  return (await managed(gateway, { call: "POST /route/explain", token: key, body })).body;
}

const hasNoRoute = async (gateway: Gateway, caller: ChangedCaller): Promise<boolean> =>
  (await explained(gateway, caller)).refusal !== null;

const gone = (words: RegExp) => ({ kind: "unauthorized", status: 401, words });
const disable: CallerChange["make"] = ({ gateway, caller: { hash } }) =>
  change(gateway, `PATCH /keys/${hash}`, { disabled: true });
const patchGuardrail = (fields: Json): CallerChange["make"] => ({ gateway, caller: { guardrail } }) =>
  change(gateway, `PATCH /guardrails/${guardrail}`, fields);
const usesNoByok = async (gateway: Gateway, caller: ChangedCaller): Promise<boolean> =>
  asList((await explained(gateway, caller)).candidates).every((one) => asObject(one).byok !== true);
const wouldBeRefused = async (gateway: Gateway, caller: ChangedCaller): Promise<boolean> =>
  asObject((await explained(gateway, caller)).reservation).would_be === "refused";

export const callerChanges: Readonly<Record<string, CallerChange>> = {
  "disabling the key": { make: disable, isKnown: isRefused, error: gone(/key was disabled/) },
  "deleting the key": {
    make: ({ gateway, caller: { hash } }) => change(gateway, `DELETE /keys/${hash}`),
    isKnown: isRefused,
    error: gone(/key was deleted/),
  },
  "the expiry of the key": {
    make: ({ time }) => {
      time.ahead += 2 * 3_600_000;
      return Promise.resolve();
    },
    isKnown: isRefused,
    error: gone(/key expired/),
  },
  "deleting the workspace": {
    make: async (input) => {
      await disable(input);
      await change(input.gateway, `DELETE /workspaces/${input.caller.slug}`);
    },
    isKnown: isRefused,
    error: gone(/key was (disabled|deleted)/),
  },
  "a lowered limit": {
    make: ({ gateway, caller: { hash } }) => change(gateway, `PATCH /keys/${hash}`, { limit: 0.00001 }),
    isKnown: wouldBeRefused,
    error: { kind: "payment_required", status: 402, words: /limit/ },
  },
  "a budget of the workspace": {
    make: ({ gateway, caller: { slug } }) =>
      change(gateway, `PUT /workspaces/${slug}/budgets/daily`, { limit_usd: 0.00001 }),
    isKnown: wouldBeRefused,
    error: { kind: "payment_required", status: 402, words: /limit|budget/ },
  },
  "a guardrail's limit": {
    make: patchGuardrail({ limit_usd: 0.00001, reset_interval: "daily" }),
    isKnown: wouldBeRefused,
    error: { kind: "blocked", status: 403, words: /limit/ },
  },
  "a guardrail that puts the model out": {
    make: patchGuardrail({ ignored_models: ["mock/*"] }),
    isKnown: hasNoRoute,
    error: { kind: "not_found", status: 404, words: /guardrail/ },
  },
  "a guardrail that blocks what was said": {
    make: patchGuardrail({
      ignored_models: ["other/*"],
      content_filters: [{ pattern: "secret-word", action: "block", label: "WORD" }],
    }),
    isKnown: async (gateway, { key }) => {
      const body = { model: "mock/model", messages: [{ role: "user", content: "secret-word" }] };
      return (await managed(gateway, { call: "POST /messages/count_tokens", token: key, body })).status ===
        403;
    },
    error: { kind: "blocked", status: 403, words: /guardrail blocked/ },
  },
  "deleting the workspace's provider key": {
    make: ({ gateway, caller: { byok } }) => change(gateway, `DELETE /byok/${byok}`),
    isKnown: usesNoByok,
    withByok: true,
  },
  "a provider key that leaves no endpoint": {
    make: ({ gateway, caller: { byok } }) =>
      change(gateway, `PATCH /byok/${byok}`, { is_byok_only: true, allowed_models: ["other/*"] }),
    isKnown: hasNoRoute,
    withByok: true,
    error: { kind: "not_found", status: 404, words: /endpoint/ },
  },
  "disabling the workspace's provider key": {
    make: ({ gateway, caller: { byok } }) => change(gateway, `PATCH /byok/${byok}`, { disabled: true }),
    isKnown: usesNoByok,
    withByok: true,
  },
};

interface NewCaller {
  readonly time: ShiftedTime;
  readonly withByok?: boolean;
  /** USD. */
  readonly limit?: number;
}

let callers = 0;

/** A key that may spend and lasts an hour, in a new workspace. */
export async function newCaller(
  gateway: Gateway,
  { time, withByok = false, limit = 1 }: NewCaller,
): Promise<ChangedCaller> {
  const slug = `lab-${callers++}`;
  const { body } = await managed(gateway, { call: "POST /workspaces", body: { name: slug, slug } });
  const { id: workspace_id, default_guardrail_id } = asObject(body.data);
  const expires_at = new Date(Date.now() + time.ahead + 3_600_000).toISOString();
  const { key, record: { hash } } = await createKey(gateway, { workspace_id, limit, expires_at });
  const caller = { key, hash, slug, guardrail: String(default_guardrail_id) };
  if (!withByok) return caller;
  const brought = { provider: "mock", key: BYOK_SECRET, workspace_id };
  const { body: made } = await managed(gateway, { call: "POST /byok", body: brought });
  return { ...caller, byok: String(asObject(made.data).id) };
}

export interface Ended {
  readonly status: number;
  readonly text: string;
  readonly receipt: Receipt;
}

export interface ChangedRun {
  readonly provider: HeldProvider;
  /** Gateways that serve the requests. */
  readonly serving: readonly Gateway[];
  /** The one that is told of the change. */
  readonly told: Gateway;
  readonly time: ShiftedTime;
  readonly api: ApiName;
  readonly stream: boolean;
}

/** A request at each gateway, the change while all are in their first turn, and what became of them. */
export async function runThrough(
  { make, isKnown, withByok }: CallerChange,
  { provider, serving, told, time, api, stream }: ChangedRun,
): Promise<{ readonly ended: readonly Ended[]; readonly calls: readonly Requested[] }> {
  const caller = await newCaller(told, { time, withByok });
  for (const gateway of serving) {
    if (withByok) {
      await until(async () => !await usesNoByok(gateway, caller), { what: "that the provider key is known" });
    }
  }
  const before = provider.upstream.requested.length;
  const more = { tools: [{ type: "service:datetime" }] };
  const asking = { api, stream, key: caller.key, text: "The secret-word: what time is it?", more };
  const running = serving.map((gateway) => call(gateway, asking));
  await until(() => provider.held === serving.length, {
    what: "that the first turns are called",
  });
  await make({ gateway: told, caller, time });
  for (const gateway of serving) {
    await until(() => isKnown(gateway, caller), { what: "that the change is known" });
  }
  provider.release();
  const ended = await Promise.all(running.map(async (asked, at) => {
    const response = await asked;
    const text = await response.text();
    const gateway = serving[at];
    assert.ok(gateway !== undefined);
    return { status: response.status, text, receipt: await receiptOf(gateway, response) };
  }));
  return { ended, calls: provider.upstream.requested.slice(before) };
}

/** With which provider keys the calls were made. */
export const tokensOf = (calls: readonly Requested[]): readonly string[] =>
  calls.map(({ headers }) => headers.get("authorization")?.slice("Bearer ".length) ?? "");

/** Fails where a request has bought by what stood before the change, or where its end does not say so. */
export function assertEnded(
  { error, withByok }: CallerChange,
  { ended, calls }: Awaited<ReturnType<typeof runThrough>>,
): void {
  if (error === undefined) {
    const [first, second] = [ended.map(() => BYOK_SECRET), ended.map(() => PROVIDER_KEY)];
    assert.deepEqual(tokensOf(calls).toSorted(), [...first, ...second].toSorted());
    for (const { receipt } of ended) assert.equal(receipt.status, "completed");
    return;
  }
  const told = calls.map(({ body }) => asList(body.messages).map((one) => asObject(one).role));
  const texts = ended.map(({ text }) => text.slice(-600));
  assert.equal(calls.length, ended.length, `no further turn is bought: ${JSON.stringify({ told, texts })}`);
  for (const { status, text, receipt } of ended) {
    assert.match(text, error.words);
    assert.deepEqual([receipt.error?.kind, receipt.error?.status], [error.kind, error.status], text);
    // The workspace pays by itself what is called with its own key.
    const cost = withByok ? 0 : TURN_COST;
    assert.deepEqual([receipt.status, receipt.cost], ["failed", cost], "what was produced is paid");
    assert.equal(status, 200, text);
    assert.match(text, /Let me see\./);
  }
}
