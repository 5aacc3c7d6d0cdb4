/** Stories of a lost connection, and of pages that cannot be loaded. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { managed } from "../support/manage.ts";
import { consoleStory } from "./support/console_story.ts";

const offline = /ERR_INTERNET_DISCONNECTED/;
const banner = (page: Page) => page.getByText(/No connection to the gateway since/);

/** Parts that are covered or cut: neither banner nor panel may be, and they do not overlap. */
const hidden = `(() => {
  const shown = (part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return top >= 0 && right <= innerWidth && bottom <= innerHeight && part.contains(document.elementFromPoint(x, y));
  };
  const [banner, panel] = [document.querySelector(".banner"), document.querySelector(".panel")];
  const [one, other] = [banner.getBoundingClientRect(), panel.getBoundingClientRect()];
  const apart = one.right <= other.left + 1 || one.bottom <= other.top + 1 || other.bottom <= one.top + 1;
  return [
    ...[...banner.querySelectorAll("p, button"), ...panel.querySelectorAll(".panel-head h2, .panel-head button")]
      .filter((part) => !shown(part)).map((part) => part.textContent.trim() || part.ariaLabel),
    ...(apart ? [] : ["banner and panel overlap"]),
  ];
})()`;

const guardrail = { name: "Desk", workspace_id: null, limit_usd: 5, reset_interval: "daily" };
const destination = {
  ...{ type: "webhook", name: "Warehouse", enabled: false },
  config: { url: "https://receipts.example/hook" },
};

const preset = { model: "mock/model", messages: [{ role: "system", content: "Be short." }] };
const tagRule = { name: "Dear", tag: "dear", conditions: [{ field: "model", operator: "exists" }] };

const panels = [
  { path: "/keys", row: "First API key", heading: "First API key" },
  { path: "/guardrails", row: "Desk", heading: "Desk" },
  { path: "/audit?type=client", row: "Created a client", heading: "Created a client" },
  { path: "/byok", row: "Account", heading: "Account" },
  { path: "/clients", row: "Portal", heading: "Portal" },
  { path: "/destinations", row: "Warehouse", heading: "Warehouse" },
  { path: "/presets", row: "support", heading: "support" },
  { path: "/tags", row: "Dear", heading: "Dear" },
  { path: "/keys?view=management", row: "First management key", heading: "First management key" },
  { path: "/models", row: "model", heading: "mock/model" },
  { path: "/requests", row: /^\d\d:\d\d:\d\d/, heading: "model through Mock" },
] as const;

for (const { path, row, heading } of panels) {
  consoleStory(
    { name: `a lost connection is said beside an open panel of ${path}, at five widths`, session: "manager" },
    async ({ page, context, gateway, open, watch }) => {
      await managed(gateway, { call: "POST /guardrails", body: guardrail });
      const brought = { provider: "openai", key: "sk-0123456789", name: "Account" };
      await managed(gateway, { call: "POST /byok", body: brought });
      await managed(gateway, { call: "POST /connect/clients", body: { name: "Portal" } });
      await managed(gateway, { call: "POST /observability/destinations", body: destination });
      await managed(gateway, { call: "POST /presets/support/chat/completions", body: preset });
      await managed(gateway, { call: "POST /observability/classifiers", body: tagRule });
      await (await ask(gateway, { model: "mock/model", input: "Hi" })).text();
      await open(path);
      await page.getByRole("button", { name: row, exact: true }).click();
      await page.getByRole("heading", { name: heading }).waitFor();
      watch.expect(offline);
      await context.setOffline(true);
      await page.getByRole("button", { name: /Show health$/ }).click();
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await banner(page).waitFor();
      for (const width of [360, 768, 1100, 1280, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await page.evaluate<string[]>(hidden), [], `at ${width} px`);
      }
      await context.setOffline(false);
      await banner(page).waitFor({ state: "detached" });
    },
  );
}

/** Tabs of the settings, and what each shows once it is read. */
const tabs = [
  { name: "In force", shows: /^\d+ of \d+ settings$/ },
  { name: "Sessions", shows: "1 session" },
  { name: "Credits", shows: "Credits were never changed." },
  { name: "Alerts", shows: "No alert in the last seven days." },
  { name: "Backup", shows: "Type First management key to confirm" },
  { name: "Doctor", shows: "Not checked yet" },
] as const;

consoleStory(
  {
    name: "no tab of the settings takes a lost connection for a failure, and each is read afterwards",
    session: "manager",
  },
  async ({ page, context, open, watch }) => {
    watch.expect(offline);
    for (const [at, { name, shows }] of tabs.entries()) {
      await open(at === 0 ? "/settings?view=doctor" : "/settings");
      await page.getByText(tabs.at(at === 0 ? -1 : 0)?.shows ?? "", { exact: true }).waitFor();
      await context.setOffline(true);
      await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name }).click();
      await banner(page).waitFor();
      assert.equal(await page.getByText("could not be read").count(), 0, name);
      await context.setOffline(false);
      await page.getByText(shows, { exact: true }).waitFor();
      await banner(page).waitFor({ state: "detached" });
    }
  },
);

consoleStory(
  {
    name: "a page that cannot be loaded says so, and loads by itself when the gateway is back",
    session: "manager",
  },
  async ({ page, context, open, watch }) => {
    await open("/keys");
    await page.getByText(/^Keys 1 to /).waitFor();
    watch.expect(offline);
    await context.setOffline(true);
    await page.getByRole("link", { name: "Guardrails", exact: true }).click();
    await page.getByRole("heading", { name: "No connection" }).waitFor();
    await banner(page).waitFor();
    assert.equal(await page.getByText("The console was updated").count(), 0);
    await context.setOffline(false);
    await page.getByRole("button", { name: "New guardrail" }).first().waitFor();
    await banner(page).waitFor({ state: "detached" });
  },
);

for (const isUpdated of [true, false]) {
  consoleStory(
    {
      name: `a page whose script is gone says ${
        isUpdated ? "that the console was updated" : "to load it again"
      }`,
      session: "manager",
    },
    async ({ page, open, watch }) => {
      await open("/keys");
      await page.getByText(/^Keys 1 to /).waitFor();
      watch.expect(/ 404 .*guardrails-/);
      await page.route("**/assets/guardrails-*.js", (route) => route.fulfill({ status: 404 }));
      if (isUpdated) {
        await page.route(
          "**/console",
          (route) => route.fulfill({ body: "<script src='/main-NEW.js'></script>" }),
        );
      }
      await page.getByRole("link", { name: "Guardrails", exact: true }).click();
      const text = isUpdated ? /^The console was updated/ : /^Its script did not arrive/;
      await page.getByRole("alert").getByText(text).waitFor();
    },
  );
}
