/** Every page and what opens on it, for what has to hold on all of them. */

import type { Page } from "playwright-core";
import { createKey, managed } from "../../support/manage.ts";
import { defaultWorkspaceId } from "../../../server/management/workspaces/default_workspace.ts";
import { ask } from "../../support/call.ts";
import { makeToolFile } from "../../support/folder_gateway.ts";
import { type ConsoleStory, openSession, type SessionHolder } from "./console_story.ts";
import { accessViews, fillAccess } from "./access_views.ts";
import { destinationViews, fillDestinations } from "./destination_views.ts";
import { fillAlerts, gatewayViews } from "./gateway_views.ts";
import { keysListed, keyViews, openDialog } from "./key_views.ts";
import { modelViews } from "./model_views.ts";
import { playgroundViews } from "./playground_views.ts";
import { fillPresets, presetViews } from "./preset_views.ts";
import { requestViews } from "./request_views.ts";
import { fillTags, tagViews } from "./tag_views.ts";

export interface PageView {
  readonly name: string;
  readonly session?: SessionHolder;
  /** Below `/console`. */
  readonly path: string;
  /** Opens what is to be seen, and resolves when it is there. */
  readonly show: (page: Page) => Promise<void>;
  /** Showing it saves something, so that a gateway can show it once. */
  readonly once?: true;
}

const heading = (name: string | RegExp, level = 1) => (page: Page) =>
  page.getByRole("heading", { name, level }).first().waitFor();

async function openGuardrail(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Support desk", exact: true }).click();
  await page.getByRole("heading", { name: "Support desk" }).waitFor();
}

/** No list has it, and no line holds it. */
const unknownModel = `nobody/${"a-model-with-a-long-name-".repeat(4)}1`;

/** An endpoint of a long name whose provider refuses the key: the gateway's, or a workspace's own. */
const refused = (isByok: boolean) => ({
  endpoint_id: `refused-${isByok}`,
  provider_name: "A provider with a name that fills more than half of a line",
  model: unknownModel,
  is_byok: isByok,
  standing: "misconfigured",
  rests_until: null,
  single_use_until: null,
  reason: "status 401: it is wrong, expired or disabled",
  p50_ms: 0.2,
  requests_5m: 12,
  failures_5m: 12,
});

/** Puts refused endpoints into the status that the gateway tells. */
async function refuseKeys(page: Page): Promise<void> {
  const told = await page.evaluate("fetch('/console/api/status').then((answer) => answer.json())");
  const { endpoints, endpoint_counts, ...others } = Object(told).data;
  const data = {
    ...others,
    endpoints: [refused(false), refused(true), ...endpoints],
    endpoint_counts: { ...endpoint_counts, misconfigured: 2 },
  };
  await page.route("**/console/api/status", (route) => route.fulfill({ json: { data } }));
  await page.reload();
  await page.getByText("refuses a workspace's own key").first().waitFor();
}

const views: readonly PageView[] = [
  { name: "sign-in", path: "", show: heading("Sign in") },
  {
    name: "sign-in-refused",
    path: "",
    show: async (page) => {
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("Paste a key first.").waitFor();
    },
  },
  ...requestViews,
  ...modelViews,
  ...playgroundViews,
  ...accessViews,
  ...presetViews,
  ...destinationViews,
  ...tagViews,
  ...gatewayViews,
  ...keyViews,
  {
    name: "palette",
    session: "manager",
    path: "/keys",
    show: async (page) => {
      await keysListed(page);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search, or go to" }).fill("support");
      await page.getByRole("group", { name: "Keys" }).getByRole("option").first().waitFor();
    },
  },
  {
    name: "health",
    session: "manager",
    path: "/keys",
    show: async (page) => {
      await keysListed(page);
      await openDialog(page, /Show health$/);
      await page.getByRole("dialog").getByText("Version").waitFor();
    },
  },
  {
    name: "overview",
    session: "manager",
    path: "",
    show: async (page) => {
      await page.getByRole("heading", { name: "Over every limit" }).waitFor();
      await page.getByRole("link", { name: "support-assistant" }).first().waitFor();
      await page.getByRole("img", { name: /^Spend by model/ }).waitFor();
    },
  },
  { name: "overview-refused", session: "manager", path: "", show: refuseKeys },
  {
    name: "overview-table",
    session: "manager",
    path: "?show=table&by=api_key_id&range=7d",
    show: (page) => page.getByRole("region", { name: "Spend, as a table" }).getByRole("row").nth(7).waitFor(),
  },
  {
    name: "overview-span",
    session: "manager",
    path: "",
    show: async (page) => {
      await page.getByText("Between …", { exact: true }).click();
      await page.getByLabel("First day", { exact: true }).waitFor();
    },
  },
  {
    name: "workspaces",
    session: "manager",
    path: "/workspaces",
    show: (page) => page.getByRole("button", { name: "Research", exact: true }).waitFor(),
  },
  {
    name: "workspace-panel",
    session: "manager",
    path: "/workspaces?open=research",
    show: async (page) => {
      await page.getByLabel("A day").fill("80");
      await page.getByLabel("A week").fill("40");
      await page.getByText("Has to be above a day with $80.00.").waitFor();
    },
  },
  {
    name: "workspace-plugins",
    session: "manager",
    path: "/workspaces?open=research",
    show: async (page) => {
      await page.getByLabel("moderation", { exact: true }).selectOption("Locked on");
      await page.getByLabel("web", { exact: true }).selectOption("On");
      await page.getByLabel("Settings of web", { exact: true }).fill('{"max_results": 0}');
      await page.getByText("max_results is 0; at least 1 is needed.").waitFor();
    },
  },
  {
    name: "workspace-warnings",
    once: true,
    session: "manager",
    path: "/workspaces?open=research",
    show: async (page) => {
      await page.getByLabel("Model for text").fill(unknownModel);
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Saved, but to know").waitFor();
    },
  },
  {
    name: "workspace-new",
    session: "manager",
    path: "/workspaces?open=new",
    show: (page) => page.getByRole("dialog").waitFor(),
  },
  {
    name: "workspace-delete",
    session: "manager",
    path: "/workspaces?delete=research",
    show: (page) => page.getByRole("button", { name: "Delete workspace Research" }).last().waitFor(),
  },
  {
    name: "workspace-delete-blocked",
    session: "manager",
    path: "/workspaces?delete=default",
    show: heading("Default cannot be deleted yet", 2),
  },
  {
    name: "guardrails",
    session: "manager",
    path: "/guardrails",
    show: (page) => page.getByRole("button", { name: "Support desk", exact: true }).waitFor(),
  },
  { name: "guardrail-panel", session: "manager", path: "/guardrails", show: openGuardrail },
  {
    name: "guardrail-filters",
    session: "manager",
    path: "/guardrails?view=filters",
    show: async (page) => {
      await openGuardrail(page);
      await page.getByRole("radiogroup", { name: "Phone numbers" }).getByText("Flag").click();
      await page.getByRole("button", { name: "Add pattern" }).click();
      await page.getByLabel(/^Pattern \d$/).last().fill("a+");
      await page.getByLabel(/^Label of Pattern \d$/).last().fill("a]b");
      await page.getByText(/^It has a \], a line end/).waitFor();
    },
  },
  {
    name: "guardrail-warnings",
    once: true,
    session: "manager",
    path: "/guardrails",
    show: async (page) => {
      await openGuardrail(page);
      await page.getByLabel("Allowed models").fill(`mock/*\n${unknownModel}`);
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Saved, but to know").waitFor();
    },
  },
  {
    name: "guardrail-service",
    session: "manager",
    path: "/guardrails?view=filters",
    show: async (page) => {
      await openGuardrail(page);
      await page.getByRole("button", { name: "Add service" }).click();
      await page.getByLabel("Address of the service").fill("guard.example");
      await page.getByText(/^An address is needed/).waitFor();
      await page.getByRole("button", { name: "Remove service" }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "guardrail-holders",
    session: "manager",
    path: "/guardrails?view=holders",
    show: async (page) => {
      await openGuardrail(page);
      await page.getByRole("button", { name: "Remove key support-assistant" }).waitFor();
      await page.getByRole("button", { name: /^Add key/ }).first().waitFor();
    },
  },
  {
    name: "guardrail-trial",
    session: "manager",
    path: "/guardrails?view=trial",
    show: async (page) => {
      await openGuardrail(page);
      await page.getByLabel("Text", { exact: true }).fill("Write to ada@example.com about INV-20260101.");
      await page.getByRole("button", { name: "Try", exact: true }).click();
      await page.getByRole("heading", { name: "As it goes on" }).waitFor();
    },
  },
  {
    name: "guardrail-lately",
    session: "manager",
    path: "/guardrails?view=receipts",
    show: async (page) => {
      await openGuardrail(page);
      await page.getByText(/^Redacted 1 ×/).first().waitFor();
    },
  },
  {
    name: "guardrail-new",
    session: "manager",
    path: "/guardrails?open=new",
    show: async (page) => {
      await page.getByRole("button", { name: "Create guardrail" }).click();
      await page.getByText("A guardrail needs a name.").waitFor();
    },
  },
  {
    name: "guardrail-delete",
    session: "manager",
    path: "/guardrails",
    show: (page) => openDialog(page, "Delete guardrail Support desk"),
  },
  {
    name: "files",
    session: "manager",
    path: "/files",
    show: (page) => page.getByRole("button", { name: "report.csv" }).waitFor(),
  },
  {
    name: "file-panel",
    session: "manager",
    path: "/files",
    show: async (page) => {
      await page.getByRole("button", { name: "report.csv" }).click();
      await page.getByText("Northwind Paper").waitFor();
    },
  },
  {
    name: "containers",
    session: "manager",
    path: "/files?view=containers",
    show: (page) => page.getByRole("button", { name: /^sess_report_/ }).waitFor(),
  },
  {
    name: "container-panel",
    session: "manager",
    path: "/files?view=containers",
    show: async (page) => {
      await page.getByRole("button", { name: /^sess_report_/ }).click();
      await page.getByText("plots/revenue.svg").waitFor();
    },
  },
  {
    name: "container-delete",
    session: "manager",
    path: "/files?view=containers",
    show: async (page) => {
      await page.getByRole("button", { name: /^sess_report_/ }).click();
      await page.getByText("plots/revenue.svg").waitFor();
      await openDialog(page, "Delete container");
    },
  },
  {
    name: "my-key",
    session: "key holder",
    path: "",
    show: (page) => page.getByRole("heading", { name: "What holds for it" }).waitFor(),
  },
  { name: "not-found", session: "manager", path: "/nowhere", show: heading("There is no page here") },
];

/** The views that exist. */
export const pageViews: readonly PageView[] = views;

const report =
  "vendor,invoice,amount_usd\nNorthwind Paper,INV-20418,118.20\nBluefin Board,BF-2026-07,940.00\n";

/** Keys in every state that a list shows: with and without a limit, disabled, with a long name; some spend; files. */
export async function fillForViews({ gateway }: Pick<ConsoleStory, "gateway">): Promise<void> {
  await managed(gateway, { call: "POST /workspaces", body: { name: "Research", slug: "research" } });
  const { key, record: busy } = await createKey(gateway, {
    name: "support-assistant",
    limit: 50,
    limit_reset: "monthly",
  });
  await fillGuardrails(gateway, busy.hash);
  const input = "Write to ada@example.com about INV-20260101.";
  for (const token of [key, key, gateway.apiKey]) {
    const response = await ask({ url: gateway.url, apiKey: token }, { model: "mock/model", input });
    await response.text();
  }
  // Nearly all of it is spent, as the overview says.
  await managed(gateway, { call: `PATCH /keys/${busy.hash}`, body: { limit: 0.046 } });
  await makeToolFile(gateway, new TextEncoder().encode(report), { filename: "report.csv" });
  await fillContainers(gateway);
  const { record: { hash } } = await createKey(gateway, { name: "research-notebooks", limit: 0.25 });
  await fillAccess(gateway, hash);
  await fillPresets(gateway);
  await fillTags(gateway);
  await fillAlerts(gateway);
  await fillDestinations(gateway);
  await openSession({ gateway, key: gateway.apiKey });
  await createKey(gateway, {
    name: "A name that is so long that no column holds it without being cut somewhere",
  });
  const { record } = await createKey(gateway, { name: "retired" });
  await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { disabled: true } });
}

/** A guardrail with filters, which a key and a member have. */
async function fillGuardrails(gateway: ConsoleStory["gateway"], keyHash: string): Promise<void> {
  const rules = {
    name: "Support desk",
    description: "For answers to customers",
    workspace_id: null,
    limit_usd: 5,
    reset_interval: "daily",
    allowed_models: ["mock/*"],
  };
  const { body: { data } } = await managed(gateway, { call: "POST /guardrails", body: rules });
  const { id } = Object(data);
  const filters = {
    content_filters: [
      { pattern: "INV-\\d{8}", action: "redact", label: "[invoice]" },
      { pattern: "[Cc]onfidential.*", action: "flag", label: null },
    ],
    content_filter_builtins: [
      { slug: "email", action: "redact" },
      { slug: "person-name", action: "flag", scan_scope: "user_only" },
    ],
  };
  await managed(gateway, { call: `PATCH /guardrails/${id}`, body: filters });
  const keys = { key_hashes: [keyHash] };
  await managed(gateway, { call: `POST /guardrails/${id}/assignments/keys`, body: keys });
  const members = { member_user_ids: ["ada@example.com"] };
  await managed(gateway, { call: `POST /guardrails/${id}/assignments/members`, body: members });
}

/** Containers with files; one of them names a command that has run. */
async function fillContainers({ containers, store }: ConsoleStory["gateway"]): Promise<void> {
  const workspaceId = await defaultWorkspaceId(store) ?? "";
  const open = (sessionId: string) =>
    containers.open({
      workspaceId,
      sessionId,
      generation: "gen-views",
      containerId: undefined,
      fileIds: [],
      network: undefined,
      sleepAfterSeconds: undefined,
    });
  const report = await open("report");
  for (
    const path of ["notes.txt", "plots/revenue.svg", "plots/revenue-by-quarter-and-region-of-the-year.csv"]
  ) {
    await report.create({ path, text: `${path}\n`.repeat(40), signal: new AbortController().signal });
  }
  await containers.store.touch({ workspaceId, id: report.id }, {
    last_command: {
      language: "bash",
      command: JSON.stringify(
        "mkdir -p plots\nfor quarter in 1 2 3 4; do\n  python3 revenue.py --quarter $quarter --by region --out plots/revenue-q$quarter.svg\ndone",
      ),
      status: "exit",
      exit_code: 1,
      started_at: "2026-07-26T09:14:00.000Z",
      seconds: 2.4,
    },
  });
  await open("scratch");
}
