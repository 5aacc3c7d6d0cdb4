/** Views of the audit log and of the settings. */

import type { Page } from "playwright-core";
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
