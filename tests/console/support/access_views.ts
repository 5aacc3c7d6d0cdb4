/** Views of provider keys, Connect clients and management keys. */

import type { Page } from "playwright-core";
import { managed } from "../../support/manage.ts";
import type { ConsoleStory } from "./console_story.ts";
import type { PageView } from "./page_views.ts";

const opened = (page: Page, name: string) => page.getByRole("heading", { name, level: 2 }).waitFor();

async function openRow(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  await opened(page, name);
}

const openDialog = (button: string) => async (page: Page) => {
  await page.getByRole("button", { name: button }).first().click();
  await page.getByRole("dialog").waitFor();
};

export const accessViews: readonly PageView[] = [
  {
    name: "byok",
    session: "manager",
    path: "/byok",
    show: (page) => page.getByText("2 provider keys").waitFor(),
  },
  {
    name: "byok-panel",
    session: "manager",
    path: "/byok",
    show: async (page) => {
      await openRow(page, "Account of research");
      await page.getByLabel("Use no other key at this provider").check();
      await page.getByText("A key that comes after the gateway's cannot be the only one.").waitFor();
      await page.getByRole("button", { name: "Remove key research-notebooks" }).waitFor();
    },
  },
  {
    name: "byok-panel-read-only",
    session: "reader",
    path: "/byok",
    show: (page) => openRow(page, "Account of research"),
  },
  { name: "byok-new", session: "manager", path: "/byok", show: openDialog("New provider key") },
  {
    name: "byok-replace",
    session: "manager",
    path: "/byok",
    show: async (page) => {
      await openRow(page, "Account of research");
      await openDialog("Replace key")(page);
    },
  },
  {
    name: "clients",
    session: "manager",
    path: "/clients",
    show: (page) => page.getByText("1 client", { exact: true }).waitFor(),
  },
  {
    name: "client-panel",
    session: "manager",
    path: "/clients",
    show: (page) => openRow(page, "Notebook portal"),
  },
  { name: "client-new", session: "manager", path: "/clients", show: openDialog("New client") },
  {
    name: "client-revoke",
    session: "manager",
    path: "/clients",
    show: async (page) => {
      await openRow(page, "Notebook portal");
      await openDialog("Revoke client")(page);
    },
  },
  {
    name: "management-keys",
    session: "reader",
    path: "/keys?view=management",
    show: (page) => page.getByText("2 management keys").waitFor(),
  },
  {
    name: "management-key-panel",
    session: "manager",
    path: "/keys?view=management",
    show: async (page) => {
      await openRow(page, "First management key");
      await page.getByText("This is the last management key that can do everything.").waitFor();
    },
  },
  {
    name: "management-key-new",
    session: "manager",
    path: "/keys?view=management",
    show: openDialog("New management key"),
  },
];

/** Provider keys and a Connect client; `hash` is that of a key that may use one of them. */
export async function fillAccess(gateway: ConsoleStory["gateway"], hash: string): Promise<void> {
  const key = "sk-0123456789abc";
  const narrow = {
    name: "Account of research",
    is_fallback: true,
    allowed_models: ["openai/*"],
    allowed_api_key_hashes: [hash],
  };
  await managed(gateway, { call: "POST /byok", body: { provider: "openai", key, ...narrow } });
  await managed(gateway, { call: "POST /byok", body: { provider: "anthropic", key, workspace_id: null } });
  await managed(gateway, { call: "POST /connect/clients", body: { name: "Notebook portal" } });
}
