/** Puts together what raises alerts and sends them. */

import { PeriodicJob } from "../../../shared/util/periodic_job.ts";
import { pause } from "../../../shared/util/pause.ts";
import type { Alert, AlertOutcome } from "../../../shared/management/alerts.ts";
import { AlertBook } from "../../management/alerts/alert_book.ts";
import { AlertSender, SEND_MS } from "../../management/alerts/alert_sender.ts";
import { AlertWatch, LOOK_MS } from "../../management/alerts/alert_watch.ts";
import type { OpenedParts } from "../composition_parts.ts";
import { fetchPolicyOf, type InForce } from "../reload/in_force.ts";
import { createWebFetch } from "./web.ts";

interface AlertParts extends Pick<OpenedParts, "store" | "ledger" | "runtime" | "metrics"> {
  readonly inForce: InForce;
}

/** Two jobs: a receiver that is slow to answer holds nothing up but what is sent to it. Returns what ends them. */
export function startAlerts({ inForce, metrics, ...parts }: AlertParts): () => Promise<void> {
  const { runtime } = parts;
  const webhook = () => inForce.config.alertWebhook;
  const count = (kind: Alert["type"], outcome: AlertOutcome) =>
    metrics?.registry.at("alerts", { kind, outcome }).add();
  const config = { fetch: fetchPolicyOf(inForce), proxies: inForce.config.proxies };
  const send = createWebFetch({ config, runtime });
  const book = new AlertBook({ ...parts, count });
  const watch = new AlertWatch({ ...parts, pause, book, isOn: () => webhook() !== undefined });
  const sender = new AlertSender({ ...parts, webhook, send, count });
  const looking = new PeriodicJob({
    runtime,
    everyMs: LOOK_MS,
    step: (signal) => watch.look(signal),
    failure: "Cannot look for alerts; trying again",
  });
  const sending = new PeriodicJob({
    runtime,
    everyMs: SEND_MS,
    step: (signal) => sender.round(signal),
    failure: "Cannot read the alerts that are to be sent; trying again",
  });
  return async () => {
    await Promise.all([looking.close(), sending.close()]);
  };
}
