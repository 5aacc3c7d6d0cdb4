/**
 * Instances on one store that reserve, settle, stand still, are fenced and join again in any order: no limit is
 * passed at any moment, and in the end whatever is left of it can be spent by any one of them (promises M1, M2).
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError } from "../../shared/errors.ts";
import { listInstances } from "../../server/billing/ledger/quota/instances.ts";
import type {
  Ledger,
  LedgerTransaction,
  Reservation,
  SpendingLimit,
} from "../../server/billing/ledger/core/ledger.ts";
import { openLedger } from "../../server/billing/ledger/core/open_ledger.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { memoryClock, type SteppedClock } from "../support/clock.ts";
import { assertSound, closesOf, everything } from "../support/journal.ts";
import { flatOrder, ledgerRuntime, limitOf, nano, openTransaction } from "../support/ledger.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const SCOPES = ["key:a", "account"];
const LIMITS: readonly SpendingLimit[] = [
  limitOf(3_000, { scope: "key:a" }),
  limitOf(4_000, { scope: "account", source: "credits", period: "monthly" }),
];
const LEAST = 3_000;
/** How often a client comes again that is told when to. */
const RETRIES = 3;

interface Request {
  readonly transaction: LedgerTransaction;
  readonly id: string;
  readonly close: () => Promise<void>;
  readonly holds: Reservation[];
  /** Name of the instance when the request began. */
  readonly by: string;
}

interface Instance {
  readonly clock: SteppedClock;
  readonly ledger: Ledger;
  /** The name under which it takes part at the moment. */
  readonly name: () => string;
  readonly requests: Request[];
  still: boolean;
}

const which = fc.nat(2);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("reserve" as const),
      which,
      amount: fc.integer({ min: 1, max: 1_200 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant("settle" as const), which, part: fc.constantFrom(0, 0.3, 1) }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("close" as const), which }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("turn" as const),
      which,
      ms: fc.constantFrom(1, 50, 300, 6_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("all" as const), ms: fc.constantFrom(100, 1_000, 15_000) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("stop" as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("go" as const),
      which,
      ms: fc.constantFrom(500, 25_000, 90_000),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const steps = fc.array(step, { minLength: 30, maxLength: 90 });
/** Milliseconds that store calls take, over and over. */
const delays = fc.array(fc.constantFrom(0, 0, 1, 4, 30, 400), { minLength: 5, maxLength: 40 });

async function begin(
  store: Store,
  { name, lags }: { readonly name: string; readonly lags: readonly number[] },
) {
  const clock = memoryClock();
  const names: string[] = [];
  const runtime = ledgerRuntime(clock, name);
  let calls = 0;
  /** As late as it is its turn; nothing is late while it joins. */
  const late = async <T>(call: () => Promise<T>): Promise<T> => {
    const ms = ++calls > 10 ? lags[calls % lags.length] ?? 0 : 0;
    if (ms > 0) await new Promise<void>((resolve) => void clock.after(ms, resolve));
    return await call();
  };
  const own: Store = {
    ...bound(store),
    get: (key) => late(() => store.get(key)),
    list: (prefix, options) => late(() => store.list(prefix, options)),
    commit: (commit) => {
      // A caller who joins writes its row first: that is how its name is known.
      const joins = commit.checks?.find(({ key, version }) => key[0] === "instances" && version === null);
      if (joins) names.push(String(joins.key[1]));
      return late(() => store.commit(commit));
    },
  };
  const ledger = await openLedger({ store: own, runtime, projectionParts: [], isShared: true });
  return { clock, ledger, name: () => names.at(-1) ?? "", requests: [], still: false } satisfies Instance;
}

function bound(store: Store): Store {
  return {
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    list: (prefix, options) => store.list(prefix, options),
    commit: (commit) => store.commit(commit),
    health: () => store.health(),
    close: () => store.close(),
    listen: store.listen &&
      ((listener) => store.listen?.(listener) ?? Promise.reject(new Error("no signals"))),
  };
}

class Cluster {
  readonly #closing: Promise<unknown>[] = [];

  constructor(readonly instances: readonly Instance[], readonly store: Store) {}

  async apply(step: Step): Promise<void> {
    if (step.type === "all") return await this.#turn(step.ms);
    const one = this.instances[step.which];
    if (one === undefined) return;
    if (step.type === "go" && one.still) {
      one.clock.leap(step.ms);
      one.still = false;
      return await one.clock.advance(0);
    }
    if (one.still) return;
    switch (step.type) {
      case "reserve":
        return this.#reserve(one, step.amount);
      case "settle": {
        const reservation = one.requests.find(({ holds }) => holds.length > 0)?.holds.pop();
        return reservation?.settle({
          cost: nano(Math.floor(reservation.reserved * step.part)),
          byok: nano(0),
        });
      }
      case "close":
        return this.#close(one);
      case "turn":
        return await one.clock.advance(step.ms);
      case "stop":
        one.still = true;
        return;
      case "go":
        return;
      default:
        return step satisfies never;
    }
  }

  /** Settled and held by all, as far as it is not given up: at no moment more than a limit. */
  async assertWithin(): Promise<void> {
    const closes = await closesOf(this.store);
    const written = new Set(closes.map(({ receipt }) => receipt.id));
    const alive = new Set((await listInstances(this.store)).map(({ id }) => id));
    const open = this.instances.flatMap(({ requests }) => requests)
      .filter(({ id, by }) => alive.has(by) && !written.has(id));
    const held = open.reduce(
      (sum, { transaction, holds }) =>
        sum + transaction.settled.cost + holds.reduce((all, { reserved }) => all + reserved, 0),
      0,
    );
    const spent = closes.reduce((sum, { cost }) => sum + cost, 0);
    assert.ok(spent + held <= LEAST, `${spent} are spent and ${held} held of ${LEAST}`);
  }

  /** All go on, what is open ends, and time passes. */
  async rest(): Promise<void> {
    for (const one of this.instances) one.still = false;
    for (const one of this.instances) {
      for (const { holds } of one.requests) {
        for (const reservation of holds.splice(0)) reservation.settle(NOTHING);
      }
    }
    for (let turn = 0; turn < 4; turn++) await this.#turn(5_000);
    for (const one of this.instances) while (one.requests.some(isOpen)) this.#close(one);
    for (let turn = 0; turn < 30; turn++) await this.#turn(5_000);
    await this.ended(Promise.all(this.#closing));
    await this.assertWithin();
  }

  /** Asserts that one instance can take all that is left, and not a nano-dollar more. */
  async assertAllIsLeft(one: Instance): Promise<void> {
    const spent = (await closesOf(this.store)).reduce((sum, { cost }) => sum + cost, 0);
    const billing = { scopes: SCOPES, limits: LIMITS };
    const more = openTransaction(one.ledger, { billing, at: one.clock.now() });
    await this.ended(assert.rejects(more.transaction.reserve(flatOrder(LEAST - spent + 1)), isLimit));
    await this.ended(more.close({ status: "refused" }));
    for (let tries = 1; spent < LEAST; tries++) {
      const all = openTransaction(one.ledger, { billing, at: one.clock.now() });
      try {
        (await this.ended(all.transaction.reserve(flatOrder(LEAST - spent)))).release();
        return await this.ended(all.close());
      } catch (error) {
        // On a slow store the others may take longer to give back than anybody waits, and say when to come again.
        const comesAgain = error instanceof ApiError && error.details.retryAfter !== undefined;
        assert.ok(comesAgain && tries < RETRIES, `try ${tries}: ${error}`);
        await this.ended(all.close({ status: "refused" }));
        await this.#turn((error.details.retryAfter ?? 0) * 1_000);
      }
    }
  }

  /** All leave, and nothing of theirs runs any more. */
  async end(): Promise<void> {
    await this.ended(Promise.all(this.instances.map(({ ledger }) => ledger.close())));
    await this.#turn(1_000);
    for (const { clock } of this.instances) assert.equal(clock.open, 0);
  }

  /** Turns all clocks until the work is done. */
  async ended<T>(work: Promise<T>): Promise<T> {
    let done = false;
    work.then(() => done = true, () => done = true);
    for (let turn = 0; turn < 600 && !done; turn++) await this.#turn(50);
    assert.ok(done, "it does not end");
    return await work;
  }

  async #turn(ms: number): Promise<void> {
    await Promise.all(this.instances.filter(({ still }) => !still).map(({ clock }) => clock.advance(ms)));
  }

  #reserve(one: Instance, amount: number): void {
    const options = { billing: { scopes: SCOPES, limits: LIMITS }, at: one.clock.now() };
    const { transaction, id, close } = openTransaction(one.ledger, options);
    const request: Request = { transaction, id, close: () => close(), holds: [], by: one.name() };
    one.requests.push(request);
    transaction.reserve(flatOrder(amount)).then(
      (reservation) => request.holds.push(reservation),
      (error: unknown) => assert.ok(error instanceof ApiError, String(error)),
    );
  }

  #close(one: Instance): void {
    const at = one.requests.findIndex(isOpen);
    const [request] = at === -1 ? [] : one.requests.splice(at, 1);
    if (request === undefined) return;
    one.requests.push({ ...request, close: CLOSED, holds: [] });
    const closing = request.close().catch((error: unknown) => {
      assert.ok(error instanceof ApiError && error.status === 503, String(error));
    });
    this.#closing.push(closing);
  }
}

const NOTHING = { cost: nano(0), byok: nano(0) };
const CLOSED = () => Promise.resolve();
const isOpen = ({ close }: Request) => close !== CLOSED;
const isLimit = (error: unknown) => error instanceof ApiError && error.kind === "payment_required";

for (const signals of [true, false]) {
  const kind = signals ? "with signals" : "without signals";
  Deno.test(`Ledgers keep a limit whoever stands still, and strand nothing of it, ${kind} (SEED=${seed})`, async () => {
    const property = fc.asyncProperty(
      steps,
      fc.array(delays, { minLength: 3, maxLength: 3 }),
      async (all, lags) => {
        const whole = memoryStore();
        const store = signals ? whole : { ...bound(whole), listen: undefined };
        const instances: Instance[] = [];
        for (const [at, name] of ["a", "b", "c"].entries()) {
          instances.push(await begin(store, { name, lags: lags[at] ?? [] }));
        }
        const cluster = new Cluster(instances, store);
        for (const step of all) {
          await cluster.apply(step);
          await cluster.assertWithin();
        }
        await cluster.rest();
        for (const one of instances) await cluster.assertAllIsLeft(one);
        await cluster.end();
        const names = (await everything(store, ["journal"])).map(({ key }) => String(key[1]));
        await assertSound(store, { instances: [...new Set(names)], scopes: SCOPES, seen: [] });
      },
    );
    // A caller who hears no signals looks again and again, which takes four times as long.
    await assertProperty(property, { numRuns: signals ? runs(5) : runs(2) });
  });
}
