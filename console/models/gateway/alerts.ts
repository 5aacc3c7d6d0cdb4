/** Where alerts are sent, and those of the last days. */

import type { Alert, AlertRecord } from "../../../shared/management/alerts.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import type { Tone } from "../../components/icon.tsx";
import { createResource } from "../../resource.ts";
import { CursorPages } from "../cursor_pages.ts";

const listAlerts = operation<"alerts.list">("GET", "/alerts");
const getSettings = operation<"settings.get">("GET", "/settings");

const PAGE = 25;

export class AlertsModel {
  readonly #api: Pick<ConsoleApi, "call">;
  /** Settings of the configuration file; empty where alerts are sent nowhere. */
  readonly settings = createResource(async (abort) => {
    const { data: { settings } } = await this.#api.call(getSettings, { signal: abort });
    return settings.filter(({ name }) => name.startsWith("alerts."));
  });
  /** Newest first; a cursor is the number of alerts before its page. */
  readonly list = new CursorPages({
    size: PAGE,
    read: async (cursor, abort) => {
      const offset = Number(cursor ?? 0);
      const query = { offset, limit: PAGE };
      return { offset, ...await this.#api.call(listAlerts, { query, signal: abort }) };
    },
    nextCursor: ({ offset, data, total_count: total }) =>
      offset + data.length < total ? String(offset + data.length) : undefined,
  });

  constructor(api: Pick<ConsoleApi, "call">) {
    this.#api = api;
  }

  async load(): Promise<void> {
    await Promise.all([this.settings.load(), this.list.load()]);
  }

  stop(): void {
    this.settings.stop();
    this.list.stop();
  }
}

/** Alerts of which the Overview's are taken. */
const LATEST = 50;
const SHOWN = 3;

interface LatestInput {
  /** Undefined for all. */
  readonly workspaceId: string | undefined;
  readonly signal: AbortSignal;
}

/** Reads the newest alerts of a workspace and of the gateway. */
export async function readLatestAlerts(
  api: Pick<ConsoleApi, "call">,
  { workspaceId, signal }: LatestInput,
): Promise<readonly AlertRecord[]> {
  const { data } = await api.call(listAlerts, { query: { limit: LATEST }, signal });
  const isOf = ({ alert: { data: about } }: AlertRecord) =>
    workspaceId === undefined || !("workspace_id" in about) || about.workspace_id === workspaceId;
  return data.filter(isOf).slice(0, SHOWN);
}

/** The page that shows what an alert tells of, and its filters. */
export function alertTarget(alert: Alert): readonly [path: string, query: Readonly<Record<string, string>>] {
  switch (alert.type) {
    case "key_limit":
    case "key_expiring":
      return ["/keys", { key: alert.data.key_hash }];
    case "workspace_budget":
      return ["/workspaces", { open: alert.data.workspace_id }];
    case "credits":
      return ["/settings", { view: "credits" }];
    case "destination_failing":
      return ["/destinations", { open: alert.data.destination_id }];
    case "endpoint_down":
      return ["/models", { view: "providers" }];
    case "overrun":
      return ["/requests", {}];
    case "store_slow":
      return ["/settings", { view: "doctor" }];
    case "prices_old":
    case "model_retiring":
      return ["/models", {}];
    default:
      return alert satisfies never;
  }
}

/** Alerts after which requests are refused or fail. */
export function alertTone(alert: Alert): Exclude<Tone, "good"> {
  const isUsedUp = "threshold" in alert.data && alert.data.threshold === 100;
  return isUsedUp || alert.type === "endpoint_down" || alert.type === "store_slow" ? "bad" : "warn";
}
