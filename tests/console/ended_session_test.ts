/** Stories of sessions that end while a page of the admin is open: it says so, and keeps no secret. */

import assert from "node:assert/strict";
import { consoleStory } from "./support/console_story.ts";

const pages = [
  { path: "/byok", heading: "Provider keys" },
  { path: "/clients", heading: "Connect clients" },
  { path: "/keys?view=management", heading: "Keys" },
  { path: "/audit", heading: "Audit" },
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

consoleStory(
  { name: "a provider key that is typed when the session ends is nowhere on the page", session: "manager" },
  async ({ page, open, context, watch }) => {
    await open("/byok");
    await page.getByRole("button", { name: "New provider key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Provider", { exact: true }).fill("openai");
    await dialog.getByLabel("Key", { exact: true }).fill("sk-planted0123456789");
    watch.expect(/401/);
    await context.clearCookies();
    await page.evaluate("document.querySelector('dialog [type=submit]')?.click()");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    const left = await page.evaluate<string[]>(
      "[document.body.outerHTML, ...[...document.querySelectorAll('input')].map((input) => input.value)]",
    );
    assert(!left.join(" ").includes("planted"), "the key is not kept");
  },
);
