/** A ledger that admits everything and writes nothing: what a gateway does beside it is what it costs without one. */

import { toNanoUsd } from "../../shared/money.ts";
import type { Forecast, Hold, Ledger, Order, Payer, Spend, Tab } from "../../server/ledger/core/ledger.ts";

const ZERO = toNanoUsd(0);
const nothing = { cost: ZERO, byok: ZERO };
const noSpend: Spend = { daily: nothing, weekly: nothing, monthly: nothing, lifetime: nothing };
const done = Promise.resolve();

/** Sets nothing aside, and sends the cap that was asked for. */
function holdOf({ askedCap }: Order): Hold {
  return {
    reserved: ZERO,
    outputCap: askedCap,
    limited: false,
    lowered: false,
    durable: () => done,
    progress: () => {},
    grow: () => done,
    settle: () => {},
    release: () => {},
  };
}

const unlimited: Payer = { scopes: [], limits: [] };

const tab: Tab = {
  payer: () => unlimited,
  reserve: (order) => Promise.resolve(holdOf(order)),
  settled: nothing,
  reserved: ZERO,
  overrun: ZERO,
  toldIn: undefined,
  close: () => done,
};

const forecast: Forecast = {
  type: "allowed",
  reserved: ZERO,
  outputCap: undefined,
  lowered: false,
  limits: [],
};

export const freeLedger: Ledger = {
  admit: () => {},
  open: () => tab,
  preview: () => Promise.resolve(forecast),
  limitsChanged: () => {},
  waiting: 0,
  refuses: undefined,
  spendOf: () => Promise.resolve(noSpend),
  flush: () => done,
  posted: () => done,
  close: () => done,
};
