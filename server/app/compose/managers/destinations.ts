/** Puts together what sends receipts to the destinations of workspaces. */

import { PeriodicJob } from "../../../../shared/util/periodic_job.ts";
import { pause } from "../../../../shared/util/pause.ts";
import {
  DestinationSender,
  type EndedDelivery,
  SEND_MS,
} from "../../../management/destinations/destination_sender.ts";
import type { OpenedParts } from "../../composition_parts.ts";
import { fetchPolicyOf } from "../../reload/in_force.ts";
import type { LastingParts } from "../lasting.ts";
import { createWebFetch } from "../web.ts";

interface DestinationParts extends OpenedParts {
  readonly lasting: Pick<LastingParts, "inForce" | "vault">;
}

/** Returns what ends it. */
export function startDestinations(parts: DestinationParts): () => Promise<void> {
  const { store, runtime, metrics, lasting: { inForce, vault } } = parts;
  const config = { fetch: fetchPolicyOf(inForce), proxies: inForce.config.proxies };
  const count = ({ type, outcome, receipts }: EndedDelivery) =>
    metrics?.registry.at("destinationReceipts", { type, outcome }).add(receipts);
  const send = createWebFetch({ config, runtime });
  const sender = new DestinationSender({ store, runtime, vault, send, pause, count });
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
