/** The gateway's health, read every half minute while the console is open. */

import { computed } from "@preact/signals";
import { operation, type OperationResult } from "./api.ts";
import { app } from "./app.ts";
import type { Tone } from "./components/icon.tsx";
import { createResource } from "./resource.ts";
import { healthText } from "./text/frame.ts";

export type GatewayStatus = OperationResult<"status.get">["data"];

const getStatus = operation<"status.get">("GET", "/status");

export const status = createResource(async (signal) => (await app.api.call(getStatus, { signal })).data);

/** Number of all endpoints that were called. */
export const endpointsOf = (counts: GatewayStatus["endpoint_counts"]): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

interface HealthSummary {
  readonly tone: Tone;
  readonly text: string;
}

/** The worst that there is to say, in a few words. */
function summarizeHealth(
  { store, ledger, blobs, endpoint_counts: counts }: GatewayStatus,
): HealthSummary {
  if (!store.ok) return { tone: "bad", text: healthText.storeTrouble };
  if (!ledger.ok) return { tone: "bad", text: healthText.ledgerTrouble };
  if (blobs.configured && blobs.ok === false) return { tone: "bad", text: healthText.blobTrouble };
  const all = endpointsOf(counts);
  if (counts.misconfigured > 0) {
    return { tone: "bad", text: healthText.misconfigured(counts.misconfigured, all) };
  }
  if (counts.cooling_down > 0) return { tone: "warn", text: healthText.cooling(counts.cooling_down, all) };
  return { tone: "good", text: all === 0 ? healthText.unused : healthText.allWell };
}

export const health = computed((): HealthSummary => {
  const read = status.data.value;
  return read === undefined || app.connection.lost.value
    ? { tone: "off", text: healthText.unknown }
    : summarizeHealth(read);
});
