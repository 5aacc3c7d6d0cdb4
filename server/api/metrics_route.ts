/** GET /metrics: for the management key, or the token that the settings give a scraper. */

import { createHash, timingSafeEqual } from "node:crypto";
import { ApiError } from "../../shared/errors.ts";
import { contentTypes, type MetricsFormat, metricsFormat } from "../metrics/write_metrics.ts";
import { authenticate, type AuthenticateDeps, readToken } from "./authenticate.ts";
import type { HttpExchange } from "./http_exchange.ts";

export interface MetricsDeps extends AuthenticateDeps {
  /** Absent where the settings have switched metrics off. */
  readonly metrics?: {
    readonly token: string | undefined;
    /** The gateway as it is now. */
    readonly read: (format: MetricsFormat) => Promise<string>;
  };
}

export async function metricsRoute(deps: MetricsDeps, exchange: HttpExchange): Promise<Response> {
  const { metrics } = deps;
  if (metrics === undefined) throw new ApiError("not_found", "Metrics are switched off (TOLLGATE_METRICS).");
  if (!isToken(readToken(exchange), metrics.token)) await requireManager(deps, exchange);
  const format = metricsFormat(exchange.request.headers.get("accept"));
  return new Response(await metrics.read(format), {
    headers: { "content-type": contentTypes[format], "cache-control": "no-store" },
  });
}

async function requireManager(deps: MetricsDeps, exchange: HttpExchange): Promise<void> {
  const caller = await authenticate(deps, exchange);
  if (caller.kind === "management") return;
  throw new ApiError("forbidden", "Only management keys and the metrics token can read metrics.");
}

const hash = (text: string) => createHash("sha256").update(text).digest();

/** Takes as long for every wrong one. */
const isToken = (given: string, token: string | undefined): boolean =>
  token !== undefined && timingSafeEqual(hash(given), hash(token));
