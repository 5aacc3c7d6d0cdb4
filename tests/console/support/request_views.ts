/** Views of the Requests page. */

import type { Page } from "playwright-core";
import type { PageView } from "./page_views.ts";

const requestsListed = (page: Page) => page.getByRole("group", { name: /^Drag over bars/ }).waitFor();

export const requestViews: readonly PageView[] = [
  { name: "requests", session: "manager", path: "/requests", show: requestsListed },
  { name: "requests-read-only", session: "reader", path: "/requests", show: requestsListed },
  {
    name: "requests-none",
    session: "manager",
    path: "/requests?user=nobody&error=timeout&min_cost=0.5",
    show: (page) => page.getByText("No request found").waitFor(),
  },
  {
    name: "sessions",
    session: "manager",
    path: "/requests?view=sessions",
    show: (page) => page.getByText("No session found").waitFor(),
  },
  {
    name: "requests-export",
    session: "manager",
    path: "/requests",
    show: async (page) => {
      await requestsListed(page);
      await page.getByText("Export", { exact: true }).click();
      await page.getByText("JSON lines").waitFor();
    },
  },
  {
    name: "requests-filters",
    session: "manager",
    path: "/requests?open=filters&user=ada",
    show: async (page) => {
      await requestsListed(page);
      await page.getByRole("dialog").getByLabel("Took at least").fill("much");
      await page.getByText("A number of seconds is needed").waitFor();
    },
  },
  {
    name: "receipt-panel",
    session: "manager",
    path: "/requests",
    show: async (page) => {
      await requestsListed(page);
      await page.locator("tbody .row-link").last().click();
      await page.getByRole("button", { name: "Explain again now" }).click();
      await page.getByText("Order now").waitFor();
    },
  },
];
