/**
 * Aggregators route to providers that they choose themselves, so that only they know what a call costs: what they report
 * is charged, where it can be true.
 */

import type { Charge } from "../../../billing/pricing/charge.ts";
import { type NanoUsd, parseReportedUsd, toNanoUsd, ZERO } from "../../../../shared/money.ts";
import type { Usage } from "../../../protocols/canonical/usage.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { Logger } from "../../../runtime.ts";

/** A cost beyond so many reservations is an error of the aggregator's. */
export const BELIEVED_MULTIPLE = 10;

interface ReportedCostOptions {
  readonly usage: Usage;
  readonly endpoint: Endpoint;
  /** Amount that was reserved for the call, or would have been under a limit. */
  readonly reserved: NanoUsd;
  readonly log: Logger;
  /** The generation id, for the log. */
  readonly generation: string;
}

/** The charge that the call is settled by: as reported, or as we computed it. */
export function settledCharge(computed: Charge, options: ReportedCostOptions): Charge {
  const { usage, endpoint, reserved, log, generation } = options;
  if (endpoint.provider.reportsCost !== true || computed.by !== "list") return computed;
  const { reportedCost } = usage;
  if (reportedCost !== undefined && reportedCost <= BELIEVED_MULTIPLE * reserved) {
    return asReported(computed, reportedCost);
  }
  const received = reportedCost === undefined ? costIn(usage.raw) : `${reportedCost / 1e9} USD`;
  if (received !== undefined) {
    log.warn("Reported cost is not believed; charging the computed cost", {
      generation,
      endpoint: endpoint.id,
      reason: reportedCost === undefined
        ? `usage.cost is ${received}`
        : `usage.cost is ${received}, more than ${BELIEVED_MULTIPLE} times the reservation of ${
          reserved / 1e9
        } USD`,
    });
  }
  return computed;
}

/** A cost that is no amount, as it stands in the provider's usage. */
function costIn(raw: unknown): string | undefined {
  if (typeof raw !== "object" || raw === null || !("cost" in raw) || raw.cost === null) return undefined;
  return parseReportedUsd(raw.cost) === undefined ? JSON.stringify(raw.cost)?.slice(0, 100) : undefined;
}

/** One sum, split as our own computation is: nobody says which line costs what. */
function asReported(computed: Charge, total: NanoUsd): Charge {
  const part = (amount: NanoUsd): NanoUsd =>
    computed.total === 0 ? ZERO : toNanoUsd(Math.floor(total * (amount / computed.total)));
  const [input, tools] = [part(computed.input), part(computed.tools)];
  return {
    lines: [],
    total,
    input,
    tools,
    output: toNanoUsd(total - input - tools),
    cacheDiscount: ZERO,
    reported: total,
    by: "provider",
    estimated: false,
  };
}
