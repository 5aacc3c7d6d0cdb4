/** Puts together what raises alerts and sends them. */

import { PeriodicJob } from "../../../shared/util/periodic_job.ts";
import { pause } from "../../../shared/util/pause.ts";
import type { Alert, AlertOutcome } from "../../../shared/management/alerts.ts";
import { AlertBook } from "../../management/alerts/alert_book.ts";
import { AlertSender, SEND_MS } from "../../management/alerts/alert_sender.ts";
import { type AlertSource, AlertWatch, LOOK_MS } from "../../management/alerts/alert_watch.ts";
import {
  destinationAlerts,
  endpointAlerts,
  overrunAlerts,
  priceAlerts,
  retirementAlerts,
  storeAlerts,
} from "../../management/alerts/gateway_alerts.ts";
import { limitAlerts } from "../../management/alerts/limit_alerts.ts";
import type { Catalog } from "../../providers/catalog/catalog.ts";
import { priceAges } from "../../providers/catalog/price_age.ts";
import { upcomingRetirements } from "../../providers/catalog/retirements.ts";
import type { OpenedParts } from "../composition_parts.ts";
import { fetchPolicyOf } from "../reload/in_force.ts";
import { createStatusSource } from "./console.ts";
import type { LastingParts } from "./lasting.ts";
import { createWebFetch } from "./web.ts";

interface AlertParts extends OpenedParts {
  readonly lasting: Pick<LastingParts, "inForce" | "health" | "stats" | "startedAt">;
}

/** All that there are alerts of. */
function sourcesOf({ lasting: { inForce, ...lasting }, ...parts }: AlertParts): readonly AlertSource[] {
  const endpoints = () =>
    createStatusSource({ ...parts, catalog: inForce.catalog }, { ...parts, ...lasting }).endpoints();
  return [
    limitAlerts({ ...parts, pause }),
    endpointAlerts(endpoints),
    destinationAlerts({ ...parts, pause }),
    overrunAlerts(parts),
    storeAlerts(parts),
    priceAlerts((now) => priceAges(inForce.catalog.endpoints, now)),
    retirementAlerts((now) => upcomingRetirements(calledOf(inForce.catalog, endpoints()), now)),
  ];
}

/** Endpoints of the catalog that were called since the start. */
function calledOf(catalog: Catalog, called: readonly { readonly endpointId: string }[]) {
  const ids = new Set(called.map(({ endpointId }) => endpointId));
  return catalog.endpoints.filter(({ id }) => ids.has(id));
}

/** Two jobs: a receiver that is slow to answer holds nothing up but what is sent to it. Returns what ends them. */
export function startAlerts(parts: AlertParts): () => Promise<void> {
  const { runtime, metrics, lasting: { inForce } } = parts;
  const webhook = () => inForce.config.alertWebhook;
  const count = (kind: Alert["type"], outcome: AlertOutcome) =>
    metrics?.registry.at("alerts", { kind, outcome }).add();
  const config = { fetch: fetchPolicyOf(inForce), proxies: inForce.config.proxies };
  const send = createWebFetch({ config, runtime });
  const book = new AlertBook({ ...parts, pause, count });
  const watch = new AlertWatch({
    runtime,
    pause,
    book,
    sources: sourcesOf(parts),
    isOn: () => webhook() !== undefined,
  });
  const sender = new AlertSender({ ...parts, webhook, send, count });
  const looking = new PeriodicJob({
    runtime,
    everyMs: LOOK_MS,
    step: (signal) => watch.look(signal),
    failure: "Cannot tidy alerts; trying again",
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
