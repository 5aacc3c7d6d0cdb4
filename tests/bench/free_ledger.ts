/** A ledger that admits everything and writes nothing: what a gateway does beside it is what it costs without one. */

import { toNanoUsd } from "../../shared/money.ts";
import type {
  BillingContext,
  Ledger,
  LedgerTransaction,
  Reservation,
  ReservationPreview,
  ReservationRequest,
  SpendByPeriod,
} from "../../server/billing/ledger/core/ledger.ts";

const ZERO = toNanoUsd(0);
const nothing = { cost: ZERO, byok: ZERO };
const noSpend: SpendByPeriod = { daily: nothing, weekly: nothing, monthly: nothing, lifetime: nothing };
const done = Promise.resolve();

/** Sets nothing aside, and sends the cap that was asked for. */
function holdOf({ requestedMaxTokens }: ReservationRequest): Reservation {
  return {
    reserved: ZERO,
    maxOutputTokens: requestedMaxTokens,
    limited: false,
    lowered: false,
    durable: () => done,
    progress: () => {},
    extend: () => done,
    settle: () => {},
    release: () => {},
  };
}

const unlimited: BillingContext = { scopes: [], limits: [] };

const transaction: LedgerTransaction = {
  billing: () => unlimited,
  reserve: (request) => Promise.resolve(holdOf(request)),
  settled: nothing,
  reserved: ZERO,
  overrun: ZERO,
  receiptId: undefined,
  close: () => done,
};

const forecast: ReservationPreview = {
  type: "allowed",
  reserved: ZERO,
  maxOutputTokens: undefined,
  lowered: false,
  limits: [],
};

export const freeLedger: Ledger = {
  admit: () => {},
  openTransaction: () => transaction,
  preview: () => Promise.resolve(forecast),
  limitsChanged: () => {},
  waiting: 0,
  heldUpReason: undefined,
  unavailableReason: undefined,
  readSpend: () => Promise.resolve(noSpend),
  flush: () => done,
  caughtUp: () => done,
  follow: () => () => {},
  followAll: () => () => {},
  close: () => Promise.resolve({ spooled: 0, lost: 0 }),
};
