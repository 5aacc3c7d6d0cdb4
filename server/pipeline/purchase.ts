/** Purchases of server tools and plugins besides model calls. Types only. */

import type { ReservationRequest } from "../billing/ledger/core/ledger.ts";
import type { NanoUsd } from "../../shared/money.ts";

/** The rates of what can be bought besides model calls, as price lists name them. */
export type PurchaseRate = "webSearch" | "ocrPage" | "request";

/** Something that a server tool or a plugin buys besides model calls. */
export interface Purchase<T> {
  /** Seller of the service. */
  readonly service: string;
  readonly rate: PurchaseRate;
  /** The most that it costs. Undefined: it is not known. */
  readonly price: NanoUsd | undefined;
  /** Units that the price is for; absent: one. */
  readonly quantity?: number;
  /** The service charges the caller, by a key of its own. */
  readonly byok?: boolean;
  /** The call for which it is made: nothing is bought where the limits do not allow both. */
  readonly before?: ReservationRequest;
  /** Rejects where it is unknown whether it is charged: then it is, at its price. */
  readonly buy: () => Promise<Bought<T>>;
}

export interface Bought<T> {
  /** The result. */
  readonly value: T;
  readonly isCharged: boolean;
  /** Where it costs less than the price. */
  readonly cost?: NanoUsd;
  /** Units that the cost is for, where they differ. */
  readonly quantity?: number;
  /** Found by a search, as the model is told it. */
  readonly results?: number;
}
