/** Puts together what sends receipts to the destinations of workspaces. */

import { PeriodicJob } from "../../../../shared/util/periodic_job.ts";
import { pause } from "../../../../shared/util/pause.ts";
import type { OnLeaving } from "../../../billing/ledger/retention/receipt_retention.ts";
import type { EndedDelivery } from "../../../management/destinations/destination_rows.ts";
import { DestinationSender, SEND_MS } from "../../../management/destinations/destination_sender.ts";
import { loseRemoved } from "../../../management/destinations/removed_receipts.ts";
import type { OpenedParts } from "../../composition_parts.ts";
import { fetchPolicyOf } from "../../reload/in_force.ts";
import type { LastingParts } from "../lasting.ts";
import { createWebFetch } from "../web.ts";

interface DestinationParts extends OpenedParts {
  readonly lasting: Pick<LastingParts, "inForce" | "vault">;
}

type CountingParts = Pick<OpenedParts, "store" | "runtime" | "metrics">;

const counterOf = ({ metrics }: Pick<CountingParts, "metrics">) => (ended: EndedDelivery): void => {
  const { type, outcome, receipts } = ended;
  metrics?.registry.at("destinationReceipts", { type, outcome }).add(receipts);
};

/** Counts receipts as lost that are removed before they were sent. */
export function removedReceipts({ store, runtime, metrics }: CountingParts): OnLeaving {
  const count = counterOf({ metrics });
  return (leaving) => loseRemoved({ store, runtime, count }, leaving);
}

/** Returns what ends it. */
export function startDestinations(parts: DestinationParts): () => Promise<void> {
  const { store, runtime, lasting: { inForce, vault } } = parts;
  const config = { fetch: fetchPolicyOf(inForce), proxies: inForce.config.proxies };
  const send = createWebFetch({ config, runtime });
  const sender = new DestinationSender({ store, runtime, vault, send, pause, count: counterOf(parts) });
  const job = new PeriodicJob({
    runtime,
    everyMs: SEND_MS,
    step: (signal) => sender.round(signal),
    failure: "Cannot look for receipts to be sent to destinations; trying again",
  });
  return async () => {
    await job.close();
    await sender.settled();
  };
}
