/** Stories of alerts: in the settings, and on the Overview. */

import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { createKey, managed } from "../support/manage.ts";
import { defaultWorkspaceId } from "../../server/management/workspaces/default_workspace.ts";
import { crossing, logAlerts } from "./support/gateway_views.ts";
import { consoleStory } from "./support/console_story.ts";

const webhook = { url: "https://alerts.example/secret-path", secret_env: "ALERT_SECRET" };
const env = { ALERT_SECRET: `whsec_${btoa("0123456789abcdef0123456789abcdef")}` };

consoleStory(
  {
    name: "alerts are listed with where they are sent, and the Overview has the newest of its workspace",
    session: "reader",
    gateway: { file: { alerts: { webhook } }, env },
  },
  async ({ page, gateway, open }) => {
    await open("/settings?view=alerts");
    await page.getByText("No alert in the last seven days.").waitFor();
    await page.getByText("ALERT_SECRET", { exact: true }).waitFor();
    assert.equal(await page.getByText(/secret-path|whsec_/).count(), 0);
    await (await ask(gateway, { model: "mock/model", input: "Hi" })).text();
    const { record } = await createKey(gateway, { name: "<img src=x> batch" });
    const { body: { data: lab } } = await managed(gateway, {
      call: "POST /workspaces",
      body: { name: "Lab", slug: "lab" },
    });
    const key = {
      ...{ key_hash: record.hash, key_name: record.name },
      workspace_id: await defaultWorkspaceId(gateway.store) ?? "",
    };
    const others = Array.from({ length: 25 }, (_, at) => ({
      alert: { type: "overrun", data: { day: "2026-11-20", overrun: at } } as const,
      status: "sent" as const,
    }));
    await logAlerts(gateway, [
      ...others,
      { alert: { type: "key_limit", data: { ...key, ...crossing } }, status: "waiting" },
      {
        alert: {
          type: "workspace_budget",
          data: { workspace_id: Object(lab).id, workspace_name: "Lab", ...crossing, threshold: 80 },
        },
        status: "lost",
      },
    ]);
    await page.reload();
    await page.getByText("Alerts 1 to 25 of 27").waitFor();
    await page.getByRole("row", { name: /Budget of a workspace.*Lost/ }).waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Alerts 26 to 27 of 27").waitFor();
    await open("");
    const latest = page.locator("section").filter({ hasText: "Latest alerts" });
    await latest.getByText(/Workspace "Lab": 80 % of the monthly limit of 2026-11 is spent/).waitFor();
    assert.equal(await latest.getByRole("listitem").count(), 3);
    await open("?workspace=default");
    await latest.getByText(/Key "<img src=x> batch"/).waitFor();
    assert.equal(await latest.getByText(/Workspace "Lab"/).count(), 0, "that is another workspace's");
    await latest.getByRole("link", { name: "All alerts" }).click();
    await page.getByText("Alerts 1 to 25 of 27").waitFor();
    await page.getByRole("link", { name: "Limit of a key" }).click();
    await page.getByRole("heading", { name: "<img src=x> batch", level: 2 }).waitFor();
  },
);
