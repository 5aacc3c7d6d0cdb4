import assert from "node:assert/strict";
import { ApiError } from "../../../../shared/errors.ts";
import { ZERO } from "../../../../shared/money.ts";
import type {
  LedgerTransaction,
  Reservation,
  ReservationRequest,
} from "../../../billing/ledger/core/ledger.ts";
import { reserveCall } from "./reserve_call.ts";

const request: ReservationRequest = {
  costBound: undefined,
  requestedMaxTokens: undefined,
  defaultMaxTokens: 0,
  byok: false,
  endpoint: { id: "a/b", model: "b", provider: "a" },
};

/** A transaction whose reservation says when it is given back. */
function transactionOf(released: string[]): LedgerTransaction {
  const reservation: Reservation = {
    reserved: ZERO,
    maxOutputTokens: undefined,
    limited: false,
    lowered: false,
    durable: () => Promise.resolve(),
    progress: () => {},
    extend: () => Promise.resolve(),
    settle: () => {},
    release: () => released.push("released"),
  };
  return {
    billing: () => ({ scopes: [], limits: [] }),
    reserve: () => Promise.resolve(reservation),
    settled: { cost: ZERO, byok: ZERO },
    reserved: ZERO,
    overrun: ZERO,
    close: () => Promise.resolve(),
    receiptId: undefined,
  };
}

Deno.test("reserveCall gives the money back where the caller may not make the call any more", async () => {
  const refused = new ApiError("unauthorized", "gone");
  for (
    const verify of [() => Promise.reject(refused), () => {
      throw refused;
    }]
  ) {
    const released: string[] = [];
    await assert.rejects(reserveCall({ transaction: transactionOf(released), verify }, request), refused);
    assert.deepEqual(released, ["released"]);
  }
});

Deno.test("reserveCall keeps the money for a caller who may make the call", async () => {
  for (const verify of [undefined, () => {}, () => Promise.resolve()]) {
    const released: string[] = [];
    await reserveCall({ transaction: transactionOf(released), verify }, request);
    assert.deepEqual(released, []);
  }
});
