/** Destinations over a store and a ledger, with a receiver that answers as a test says. */

import { pause } from "../../shared/util/pause.ts";
import type { Receipt } from "../../shared/receipts.ts";
import type { Ledger } from "../../server/billing/ledger/core/ledger.ts";
import { openLedger } from "../../server/billing/ledger/core/open_ledger.ts";
import {
  type LeavingBatches,
  removeOldReceipts,
} from "../../server/billing/ledger/retention/receipt_retention.ts";
import { createLogger } from "../../server/logger.ts";
import type { EndedDelivery } from "../../server/management/destinations/destination_rows.ts";
import { DestinationSender } from "../../server/management/destinations/destination_sender.ts";
import { loseRemoved } from "../../server/management/destinations/removed_receipts.ts";
import { connect } from "../../server/providers/upstream/connections/connect.ts";
import { noProxies } from "../../server/providers/upstream/proxy_rules.ts";
import { createRuntime } from "../../server/runtime.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { createGuardedFetch } from "../../server/web/fetch/guarded_fetch.ts";
import { systemResolver } from "../../server/web/fetch/resolver.ts";
import { type AdminRig, adminRig } from "../support/admin.ts";
import { fakeClock } from "../support/clock.ts";
import { httpStub } from "../support/http_stub.ts";
import { openTransaction } from "../support/ledger.ts";
import { shiftedClock } from "../support/ticking_clock.ts";

export const never = new AbortController().signal;

export interface Message {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answer = (message: Message) => Response | Promise<Response>;

/** A receiver whose messages are kept, also those that it refuses. */
export function receiver() {
  const messages: Message[] = [];
  const held: { answer: Answer } = { answer: () => new Response(null, { status: 204 }) };
  const stub = httpStub(async (request) => {
    const { pathname, search } = new URL(request.url);
    const message = {
      method: request.method,
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    };
    messages.push(message);
    return await held.answer(message);
  });
  return { ...stub, stub, host: new URL(stub.url).host, messages, held };
}

export type Receiver = ReturnType<typeof receiver>;

export interface DestinationRig extends AsyncDisposable {
  readonly admin: AdminRig;
  readonly at: Receiver;
  readonly clock: ReturnType<typeof fakeClock>;
  /** Moves time on: what is changed from now on is later than all receipts until now, and earlier than all behind. */
  readonly later: () => void;
  readonly lines: readonly string[];
  /** Receipts that senders have counted, as `webhook sent`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Another instance each time. */
  readonly sender: () => DestinationSender;
  /** Sends all that is due, and waits for it. */
  readonly round: (sender?: DestinationSender) => Promise<void>;
  /** Opens the ledger of a gateway, which shares the store unless it owns it. */
  readonly openLedger: (options?: { readonly isShared: boolean }) => Promise<Ledger>;
  /** Removes all receipts but those of each journal's last batch, as when their time is over. */
  readonly expire: () => Promise<void>;
  /** Writes a receipt of the default workspace. */
  readonly receipt: (ledger: Ledger, receipt: Partial<Receipt> & { readonly id: string }) => Promise<void>;
}

interface RigOptions {
  readonly store?: Store;
  /** Hosts that may be called besides the receiver's. */
  readonly hosts?: readonly string[];
}

export async function destinationRig(input: RigOptions = {}): Promise<DestinationRig> {
  const at = receiver();
  const clock = fakeClock(Date.now() + 60_000);
  const policy = { allowHttp: false, allowedHosts: [at.host, ...input.hosts ?? []] };
  const send = createGuardedFetch({ clock, policy, connect, resolve: systemResolver, findProxy: noProxies });
  const admin = await adminRig({ ...input, allowedHosts: policy.allowedHosts, sendMessage: send });
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLogger({ format: "json", level: "debug", now: Date.now, write });
  const ledgerTime = { ahead: 0 };
  const runtime = { ...createRuntime(log), clock: shiftedClock(ledgerTime) };
  const { store, deps: { vault } } = admin;
  const counts = new Map<string, number>();
  const count = ({ type, outcome, receipts }: EndedDelivery) => {
    const name = `${type} ${outcome}`;
    counts.set(name, (counts.get(name) ?? 0) + receipts);
  };
  const sender = () => new DestinationSender({ store, runtime: { clock, log }, vault, send, pause, count });
  return {
    admin,
    at,
    clock,
    later: () => {
      admin.clock.leap(runtime.clock.now() + 60_000 - admin.clock.now());
      ledgerTime.ahead += 120_000;
    },
    lines,
    counts,
    sender,
    round: async (one = sender()) => {
      await one.round(never);
      await one.settled();
    },
    openLedger: ({ isShared } = { isShared: true }) =>
      openLedger({ store, runtime, projectionParts: [], isShared }),
    expire: async () => {
      const lose = (leaving: LeavingBatches) => loseRemoved({ store, runtime, count }, leaving);
      // Twice, as where a gateway ends before they are gone.
      const onLeaving = (leaving: LeavingBatches) => lose(leaving).then(() => lose(leaving));
      await removeOldReceipts(store, { before: Number.MAX_SAFE_INTEGER, most: 1_000, onLeaving });
    },
    receipt: async (ledger, { id, ...more }) => {
      const now = new Date().toISOString();
      const { close } = openTransaction(ledger, { id, at: Date.now() });
      await close({ workspace_id: admin.home, created_at: now, ended_at: now, ...more });
    },
    [Symbol.asyncDispose]: () => at.stub[Symbol.asyncDispose](),
  };
}
