/**
 * The ledger as the other modules see it: reserve → settle, and one receipt a request (promises M1–M7).
 * Implementations: server/billing/ledger/core/ledger_instance.ts. Amounts are nano-USD.
 */

import type { UsedPreset } from "../../../../shared/presets/records.ts";
import type { ApiError } from "../../../../shared/errors.ts";
import type { NanoUsd } from "../../../../shared/money.ts";
import type { Receipt } from "../../../../shared/receipts.ts";
import type { ReceiptListener } from "./receipt_followers.ts";

/** Spend is counted in buckets named by UTC day, ISO week (from Monday), month, and once for ever (promises M3). */
export type LimitPeriod = "daily" | "weekly" | "monthly" | "lifetime";

/**
 * Whose spend is counted: `key:<ledger id>`, `workspace:<uuid>`, `guardrail:<uuid>:<ledger id>`, `account`.
 * Every request is counted under all scopes of its billing context, whether a limit stands there or not.
 */
export type SpendScope = string;

export interface SpendingLimit {
  readonly source: "key" | "workspace_budget" | "guardrail" | "credits";
  /** For the API error: `The key's daily limit`. */
  readonly name: string;
  /** Id of the guardrail that sets the limit, for its pipeline stage. */
  readonly id?: string;
  readonly scope: SpendScope;
  readonly period: LimitPeriod;
  readonly amount: NanoUsd;
  /** Whether spend on the caller's own provider keys counts too. */
  readonly includeByok: boolean;
}

/** Scopes under which a request is charged, and its limits. */
export interface BillingContext {
  readonly scopes: readonly SpendScope[];
  readonly limits: readonly SpendingLimit[];
  /** The request tests the gateway itself: charts leave it out. */
  readonly selfTest?: true;
}

/** The spend of one scope in one bucket: on our provider keys, and on the caller's own. */
export interface BucketSpend {
  readonly cost: NanoUsd;
  readonly byok: NanoUsd;
}

export type SpendByPeriod = { readonly [P in LimitPeriod]: BucketSpend };

/** The cost bound of one call, as costs are counted (promises M1). */
export interface CostBound {
  /** Most that the call may cost at this output cap, in tokens. */
  readonly total: (maxOutputTokens: number) => NanoUsd;
  /** The largest cap whose cost bound fits into the amount; below zero when not even the input fits. */
  readonly maxTokensWithin: (amount: NanoUsd) => number;
  /**
   * Part of the call that has no known price, in words: under a limit the call is refused as one without any price
   * (promises M6).
   */
  readonly unpricedItem?: string;
  /** Tools among it that the provider runs itself, as often as it likes up to a bound; for who is refused. */
  readonly providerTools?: readonly string[];
  /** Estimated cost of the input alone: charged at least, when the gateway dies in the middle. */
  readonly inputCost: NanoUsd;
}

export interface ReservationRequest {
  /** Undefined: no price is known; refused (404) when any limit applies, else it costs nothing (promises M6). */
  readonly costBound: CostBound | undefined;
  /** The cap that the caller asked for; undefined when it named none. */
  readonly requestedMaxTokens: number | undefined;
  /** The cap to reserve and send under a limit when none was asked: min(model's cap, default_output_tokens). */
  readonly defaultMaxTokens: number;
  /** The call goes out on the caller's own provider key. */
  readonly byok: boolean;
  /** Shown in API errors and receipts. */
  readonly endpoint: { readonly id: string; readonly model: string; readonly provider: string };
}

/** The final cost of a call. */
export interface Settlement {
  /** Charged to the caller: zero on its own provider key. */
  readonly cost: NanoUsd;
  /** Cost on the caller's own provider key; zero otherwise. */
  readonly byok: NanoUsd;
}

/** Money reserved for one call. Ends in exactly one `settle` or `release`; later ones do nothing. */
export interface Reservation {
  readonly reserved: NanoUsd;
  /** The output cap to send; undefined: none has to be sent. */
  readonly maxOutputTokens: number | undefined;
  /** Whether any limit applies to the call. */
  readonly limited: boolean;
  /** True when `maxOutputTokens` is lower than what was requested, because of what is spent. */
  readonly lowered: boolean;
  /**
   * Resolves when the reserve entry is durable, which nothing of the answer may reach the client before (M4), and
   * has it written at once. A whole answer leaves behind its receipt and need not ask. Rejects with an ApiError when
   * the entry cannot be written.
   */
  durable(): Promise<void>;
  /** How far the call is, for the journal (every 2 s or 50 deltas): what it has cost so far. */
  progress(sofar: Settlement): void;
  /** More money for the same call, before the step that needs it (server tools). Throws as `reserve` does. */
  extend(more: NanoUsd): Promise<void>;
  settle(final: Settlement): void;
  /** The call came to nothing: nothing is charged. */
  release(): void;
}

/** One request in the ledger, from its first reservation to its receipt. */
export interface LedgerTransaction {
  /** The billing context with its limits as they are now. Rejects with an ApiError when they cannot be read. */
  billing(): BillingContext | Promise<BillingContext>;
  /**
   * Sets the cost bound aside under every limit that applies; waits for open reservations up to 5 s, first come
   * first served. Throws an ApiError: 402 (`payment_required`), 403 for a guardrail's limit, 404 without a price,
   * 503 when the store does not answer or the lease is lost.
   */
  reserve(request: ReservationRequest): Promise<Reservation>;
  /** Sum that the reservations of this request have settled so far. */
  readonly settled: Settlement;
  /** The most that was reserved at a time, and what providers took beyond their caps. */
  readonly reserved: NanoUsd;
  readonly overrun: NanoUsd;
  /**
   * Settles what is still open (as released) and writes the receipt. Resolves when it is committed: in the store,
   * or synced to the spool. Rejects with an ApiError `unavailable` when neither succeeds within 5 s (promises M5).
   */
  close(receipt: Receipt): Promise<void>;
  /** Set by `close`: the id of the receipt that tells of this request; refused ones beyond some a minute share one. */
  readonly receiptId: string | undefined;
}

export interface TransactionOptions {
  /** The generation id. */
  readonly id: string;
  readonly requestId: string;
  readonly billing: BillingContext;
  /** The same as it is now: limits are read whenever money is reserved, and again while that waits. */
  readonly currentBilling?: () => BillingContext | Promise<BillingContext>;
  readonly keyHash: string;
  readonly workspaceId: string;
  /** The management key for whose session the key is used. */
  readonly managementKeyHash?: string;
  /** Ms since the epoch: names the buckets (promises M3). */
  readonly at: number;
  /** For the receipt of a request whose gateway dies: `responses`, `chat`, `messages`, `speech`. */
  readonly api?: string;
  readonly streamed?: boolean;
  /** As the caller named it. */
  readonly requestedModel?: string | null;
  /** Slug of the router that chose the model, once one has: asked whenever the request is written. */
  readonly router?: () => string | undefined;
  /** The preset that filled in the request. */
  readonly preset?: UsedPreset;
  /** Called when the lease is lost: calls under limits must end (promises M2). */
  readonly onAbort?: (reason: string) => void;
  /** True once the client is gone: a reservation that waits ends. */
  readonly isDisconnected?: () => boolean;
}

/** How a reservation would end. */
export interface ReservationPreview {
  readonly type: "allowed" | "waits" | "refused";
  /** Amount that would be reserved, and the output cap that would be sent; zero and none where the call is refused. */
  readonly reserved: NanoUsd;
  readonly maxOutputTokens: number | undefined;
  readonly lowered: boolean;
  /** Error of a call that would be refused. */
  readonly error?: ApiError;
  /** The limits that apply, as they stand. */
  readonly limits: readonly {
    readonly limit: SpendingLimit;
    readonly spent: NanoUsd;
    readonly held: NanoUsd;
  }[];
}

export interface Ledger {
  /**
   * Refuses at the API what cannot be paid any more: a limit that is reached by what is settled. Free requests
   * pass an exhausted limit, so `route` decides again with a price in hand; this one is only for requests whose
   * every candidate has a price above zero. At once where the scopes are in memory.
   */
  admit(billing: BillingContext): void | Promise<void>;
  openTransaction(options: TransactionOptions): LedgerTransaction;
  /** Says what `reserve` would do now, without reserving anything. Rejects where it would with a 503. */
  preview(billing: BillingContext, request: ReservationRequest): Promise<ReservationPreview>;
  /** Limits have changed, of one key or of any: reservations that wait are decided anew. */
  limitsChanged(keyHash?: string): void;
  /** Reservations that wait for money. */
  readonly waiting: number;
  /** Why nothing is admitted at present; undefined while all is well. */
  readonly unavailableReason: string | undefined;
  /** Why receipts wait although the store takes writes: what was spent before cannot be read. */
  readonly heldUpReason: string | undefined;
  /** Reads what a scope has spent in its current buckets. */
  readSpend(scope: SpendScope): Promise<SpendByPeriod>;
  /**
   * Resolves when everything that was decided is written and projected; requests may be open. Rejects with an
   * ApiError while the store cannot be written. Used by stop, backup and tests.
   */
  flush(): Promise<void>;
  /**
   * Resolves when lists, ids and sums hold every receipt that was written here before the call: anyone who reads
   * them asks first. Rejects with an ApiError 503 while that cannot be.
   */
  caughtUp(): Promise<void>;
  /**
   * Calls the listener with every receipt that this process writes into the store from now on, as soon as it is there.
   * The function given back ends that.
   */
  follow(listener: ReceiptListener): () => void;
  /** The same, and within about a second with those that other processes write into the same store. */
  followAll(listener: ReceiptListener): () => void;
  /** Ends it, within seconds whatever the store does; receipts that cannot be written go to the spool. Does not throw. */
  close(): Promise<UnwrittenReceipts>;
}

/** Receipts that are not in the store when a ledger has ended. */
export interface UnwrittenReceipts {
  /** They are written at the next start. */
  readonly spooled: number;
  /** They are in no file either: the next start writes what the journal says of their requests. */
  readonly lost: number;
}
