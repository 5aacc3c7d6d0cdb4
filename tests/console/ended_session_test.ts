/** Stories of sessions that end while a page of the admin is open: it says so, and keeps no secret. */

import assert from "node:assert/strict";
import { consoleStory } from "./support/console_story.ts";

const pages = [
  { path: "/byok", heading: "Provider keys" },
  { path: "/clients", heading: "Connect clients" },
  { path: "/keys?view=management", heading: "Keys" },
  { path: "/audit", heading: "Audit" },
  { path: "/destinations", heading: "Destinations" },
  { path: "/presets", heading: "Presets" },
  { path: "/tags", heading: "Tag rules" },
  { path: "/settings", heading: "Settings" },
  { path: "/settings?view=sessions", heading: "Settings" },
  { path: "/settings?view=credits", heading: "Settings" },
  { path: "/settings?view=backup", heading: "Settings" },
  { path: "/settings?view=doctor", heading: "Settings" },
] as const;

for (const { path, heading } of pages) {
  consoleStory(
    { name: `an ended session is said in the place of ${path}`, session: "manager" },
    async ({ page, open, context, watch }) => {
      await open(path);
      await page.getByRole("heading", { name: heading, exact: true }).waitFor();
      watch.expect(/401/);
      await context.clearCookies();
      // What the page reads by itself may notice first, so that nothing is there to be clicked.
      await page.evaluate("document.querySelector('[aria-label$=\"Show health\"]')?.click()");
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      assert(page.url().endsWith(`/console${path}`), "signing in leads back");
      assert.equal(await page.getByRole("heading", { name: heading, exact: true }).count(), 0);
    },
  );
}

/** Forms into which a secret is typed, and the button that sends it. */
const forms = [
  {
    ...{ what: "a provider key", path: "/byok", open: "New provider key", send: "Store provider key" },
    fields: [["Provider", "openai"], ["Key", "sk-planted0123456789"]],
  },
  {
    ...{ what: "a destination's secret", path: "/destinations", open: "New destination" },
    send: "Create destination",
    fields: [
      ["Name", "Warehouse"],
      ["Address", "https://receipts.example/hook"],
      ["Signing secret", `whsec_planted${"0".repeat(33)}`],
    ],
  },
] as const;

for (const { what, path, open: opens, send, fields } of forms) {
  consoleStory(
    { name: `${what} that is typed when the session ends is nowhere on the page`, session: "manager" },
    async ({ page, open, context, watch }) => {
      await open(path);
      await page.getByRole("button", { name: opens }).click();
      const form = page.locator("dialog[open], aside.panel");
      for (const [name, text] of fields) await form.getByLabel(name, { exact: true }).fill(text);
      watch.expect(/401/);
      await context.clearCookies();
      const button = `[...document.querySelectorAll("button")].find((one) => one.textContent === "${send}")`;
      // What the page reads by itself may notice first, so that nothing is there to be clicked.
      await page.evaluate(`${button}?.click()`);
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      assert.equal(await form.count(), 0);
      const left = await page.evaluate<string[]>(
        "[document.body.outerHTML, ...[...document.querySelectorAll('input')].map((input) => input.value)]",
      );
      assert(!left.join(" ").includes("planted"), "the secret is not kept");
    },
  );
}
