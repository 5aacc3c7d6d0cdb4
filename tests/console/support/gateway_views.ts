/** Views of the API, the audit log and the settings, and the alerts that they show. */

import type { Page } from "playwright-core";
import type { Alert, AlertRecord } from "../../../shared/management/alerts.ts";
import { alertLog } from "../../../server/management/alerts/alert_rows.ts";
import { defaultWorkspaceId } from "../../../server/management/workspaces/default_workspace.ts";
import type { ConsoleStory } from "./console_story.ts";
import type { PageView } from "./page_views.ts";

const changesListed = (page: Page) => page.getByText(/^Changes 1 to /).waitFor();

export const gatewayViews: readonly PageView[] = [
  {
    name: "api",
    session: "reader",
    path: "/api",
    show: (page) => page.getByText(/^\d+ operations$/).waitFor(),
  },
  {
    name: "api-answer",
    session: "manager",
    path: "/api?open=key.get",
    show: async (page) => {
      await page.getByRole("button", { name: "Send GET" }).click();
      await page.getByText("Answer with status 200").waitFor();
    },
  },
  { name: "audit", session: "reader", path: "/audit", show: changesListed },
  {
    name: "audit-panel",
    session: "manager",
    path: "/audit?operation=guardrails.update",
    show: async (page) => {
      await changesListed(page);
      await page.getByRole("button", { name: "Changed a guardrail" }).first().click();
      await page.getByRole("heading", { name: "Before → after" }).waitFor();
    },
  },
  {
    name: "audit-time",
    session: "manager",
    path: "/audit?open=time&since=2026-01-01T00%3A00%3A00.000Z",
    show: (page) => page.getByRole("dialog").waitFor(),
  },
  {
    name: "audit-none",
    session: "manager",
    path: "/audit?target=nobody",
    show: (page) => page.getByText("No change found").waitFor(),
  },
  {
    name: "settings",
    session: "reader",
    path: "/settings",
    show: (page) => page.getByText(/^\d+ of \d+ settings$/).waitFor(),
  },
  {
    name: "settings-sessions",
    session: "manager",
    path: "/settings?view=sessions",
    show: async (page) => {
      await page.getByText("this session", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Make a sign-in link" }).click();
      await page.getByText("The link is ready").waitFor();
    },
  },
  {
    name: "settings-end-others",
    session: "manager",
    path: "/settings?view=sessions",
    show: async (page) => {
      await page.getByRole("button", { name: "End all others" }).click();
      await page.getByRole("heading", { name: "End all other sessions?" }).waitFor();
    },
  },
  {
    name: "settings-credits",
    session: "manager",
    path: "/settings?view=credits",
    show: async (page) => {
      await page.getByText("Credits were never changed.").waitFor();
      await page.getByRole("button", { name: "Change credits" }).click();
      await page.getByText("Say why.").waitFor();
    },
  },
  {
    name: "settings-alerts",
    session: "reader",
    path: "/settings?view=alerts",
    show: (page) => page.getByText("Alerts 1 to 4 of 4").waitFor(),
  },
  {
    name: "settings-backup",
    session: "manager",
    path: "/settings?view=backup",
    show: (page) => page.getByLabel(/^Type First management key/).waitFor(),
  },
  {
    name: "settings-doctor",
    session: "manager",
    path: "/settings?view=doctor",
    show: async (page) => {
      await page.getByRole("button", { name: "Run the checks" }).click();
      await page.getByText(/^Checked \d+ \w+ \d{4}, /).waitFor();
    },
  },
];

interface LoggedAlert {
  readonly alert: Pick<Alert, "type" | "data">;
  readonly status: AlertRecord["status"];
}

/** Writes alerts as if they were raised a minute apart, the last one now. */
export async function logAlerts(
  { store }: Pick<ConsoleStory["gateway"], "store">,
  logged: readonly LoggedAlert[],
): Promise<void> {
  const now = Date.now();
  for (const [place, { alert, status }] of logged.entries()) {
    const at = now - (logged.length - 1 - place) * 60_000;
    const row = { alert: { ...alert, timestamp: new Date(at).toISOString() }, status, ended_at: null };
    await alertLog(store).create([at, `alert_${place}`], row);
  }
}

export const crossing = {
  threshold: 100,
  interval: "monthly",
  period: "2026-11",
  limit: 50,
  spent: 50.02,
} as const;

/** Alerts of several kinds, one with names that are as long as they may be. */
export async function fillAlerts(gateway: Pick<ConsoleStory["gateway"], "store">): Promise<void> {
  const workspace_id = await defaultWorkspaceId(gateway.store) ?? "";
  const key = { key_hash: "0".repeat(64), key_name: "W".repeat(120), workspace_id };
  await logAlerts(gateway, [
    {
      alert: {
        type: "prices_old",
        data: { source: "litellm", date: "2026-10-01", age_days: 58, models: 12 },
      },
      status: "sent",
    },
    {
      alert: { type: "key_expiring", data: { ...key, expires_at: "2026-12-01T00:00:00.000Z" } },
      status: "lost",
    },
    { alert: { type: "key_limit", data: { ...key, ...crossing } }, status: "sent" },
    {
      alert: {
        type: "endpoint_down",
        data: { provider: "mock", model: "model", since: "2026-11-28T05:00:00.000Z", reason: "status 503" },
      },
      status: "waiting",
    },
  ]);
}
