/** Views of the keys, and what opens them. */

import type { Page } from "playwright-core";
import type { PageView } from "./page_views.ts";

export const keysListed = (page: Page) => page.getByText(/^Keys 1 to /).waitFor();

async function openKey(page: Page): Promise<void> {
  await keysListed(page);
  await page.getByRole("button", { name: "support-assistant", exact: true }).click();
  await page.getByRole("heading", { name: "support-assistant" }).waitFor();
  await page.getByRole("heading", { name: "Last requests" }).waitFor();
}

export async function openDialog(page: Page, button: string | RegExp): Promise<void> {
  await page.getByRole("button", { name: button }).first().click();
  await page.getByRole("dialog").waitFor();
}

export const keyViews: readonly PageView[] = [
  { name: "keys", session: "manager", path: "/keys", show: keysListed },
  { name: "keys-read-only", session: "reader", path: "/keys", show: keysListed },
  {
    name: "keys-none",
    session: "manager",
    path: "/keys?q=nobody",
    show: (page) => page.getByText("No key found").waitFor(),
  },
  {
    name: "keys-selected",
    session: "manager",
    path: "/keys",
    show: async (page) => {
      await keysListed(page);
      await page.getByRole("checkbox", { name: "Select all on this page" }).check();
      await page.getByText(/keys selected$/).waitFor();
    },
  },
  {
    name: "keys-bulk",
    session: "manager",
    path: "/keys",
    show: async (page) => {
      await keysListed(page);
      await page.getByRole("checkbox", { name: "Select all on this page" }).check();
      await openDialog(page, "Change …");
      await page.getByRole("dialog").getByLabel("Limit", { exact: true }).last().fill("40");
    },
  },
  { name: "key-panel", session: "manager", path: "/keys", show: openKey },
  {
    name: "key-panel-changed",
    session: "manager",
    path: "/keys",
    show: async (page) => {
      await openKey(page);
      await page.getByLabel("Limit", { exact: true }).fill("75");
      await page.getByRole("button", { name: "Save changes" }).waitFor();
    },
  },
  {
    name: "key-delete",
    session: "manager",
    path: "/keys",
    show: async (page) => {
      await openKey(page);
      await openDialog(page, "Delete key");
    },
  },
  {
    name: "key-rotate",
    session: "manager",
    path: "/keys",
    show: async (page) => {
      await openKey(page);
      await openDialog(page, "Rotate key");
    },
  },
  {
    name: "key-rotated",
    session: "manager",
    path: "/keys",
    once: true,
    show: async (page) => {
      await openKey(page);
      await openDialog(page, "Rotate key");
      await page.getByRole("dialog").getByRole("button", { name: "Rotate key" }).click();
      await page.locator(".secret code").waitFor();
    },
  },
  {
    name: "key-new",
    session: "manager",
    path: "/keys?open=new",
    show: (page) => page.getByRole("dialog").waitFor(),
  },
  {
    name: "key-created",
    session: "manager",
    path: "/keys?open=new",
    show: async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("Billing reports");
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("heading", { name: "Key Billing reports is ready" }).waitFor();
    },
  },
];
