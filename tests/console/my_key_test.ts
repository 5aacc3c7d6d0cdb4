/** Stories of holders of an API key: their own requests and models, and nobody else's. */

import assert from "node:assert/strict";
import { ask } from "../support/call.ts";
import { mockModel, providerAt } from "../support/gateway.ts";
import { createKey } from "../support/manage.ts";
import { consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";
import { untilInPage } from "./support/until_in_page.ts";

consoleStory(
  { name: "a key holder sees the own requests, by state and page by page", session: "key holder" },
  async ({ page, gateway, open }) => {
    const hostile = "<img src=x onerror=alert(1)> \u202ereversed";
    const { key } = await createKey(gateway, { name: "Somebody else's" });
    for (let n = 0; n < 17; n++) await (await ask(gateway, { model: "mock/model", input: "Hi" })).text();
    await (await ask(gateway, { model: hostile, input: "Hi" })).text();
    await (await ask({ url: gateway.url, apiKey: key }, { model: "mock/model", input: "Hi" })).text();
    await open();
    await page.getByText("Requests 1 to 15").waitFor();
    await page.getByText(hostile).first().waitFor();
    await screenshots(page, "my-key-requests");
    await page.getByRole("button", { name: "Next", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Requests 16 to 18").waitFor();
    await page.reload();
    await page.getByText("Requests 16 to 18").waitFor();
    await page.getByLabel("State", { exact: true }).selectOption("Completed");
    await page.waitForURL(/status=completed/);
    await page.getByText("Requests 1 to 15").waitFor();
    assert.equal(await page.getByText(hostile).count(), 0);
    await page.getByLabel("State", { exact: true }).selectOption("Cancelled");
    await page.getByText("No request with this key is in this state.").waitFor();
    assert.equal(await page.locator("img").count(), 0);
  },
);

const models = Array.from({ length: 25 }, (_, at) => ({
  ...mockModel,
  id: `mock/model-${String(at).padStart(2, "0")}`,
  upstream_id: `model-${at}`,
}));

consoleStory(
  {
    name: "a key holder finds a model that the key may call, and copies its id",
    session: "key holder",
    gateway: { providers: [providerAt("http://127.0.0.1:9", { models })] },
  },
  async ({ page, context, open }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open();
    const list = page.getByRole("list", { name: "Models" });
    await list.getByText("mock/model-00").first().waitFor();
    assert.equal(await list.getByRole("listitem").count(), 20);
    await page.getByRole("button", { name: "Show more of 5 others" }).click();
    assert.equal(await list.getByRole("listitem").count(), 25);
    await page.keyboard.press("/");
    await page.keyboard.type("MODEL-07");
    await untilInPage(page, "document.querySelectorAll('.own-models li').length === 1");
    await list.getByRole("button").click();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), "mock/model-07");
    await page.getByRole("searchbox").fill("nobody");
    await page.getByText("No model has “nobody” in its id.").waitFor();
  },
);

const longModel = `mock/${"model".padEnd(95, "W")}`;
const tooWide = `[
  ...[...document.querySelectorAll(".table-box")].filter((box) => box.scrollWidth > box.clientWidth),
  ...[document.documentElement].filter((page) => page.scrollWidth > page.clientWidth),
].map((box) => [box.className, box.scrollWidth, box.clientWidth].join(" "))`;

consoleStory(
  {
    name: "a key holder's page fits at every width, with names of 100 characters",
    session: "key holder",
    gateway: { providers: [providerAt("http://127.0.0.1:9", { models: [{ ...mockModel, id: longModel }] })] },
  },
  async ({ page, gateway, open }) => {
    for (const model of [longModel, "X".repeat(100)]) {
      await (await ask(gateway, { model, input: "Hi" })).text();
    }
    await open();
    await page.getByText("Requests 1 to 2").waitFor();
    await page.getByRole("list", { name: "Models" }).getByText(longModel).first().waitFor();
    for (const width of [360, 480, 768, 1100, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await page.evaluate<string[]>(tooWide), [], `at ${width} px`);
    }
    const cut =
      `(([time]) => time.offsetWidth - time.parentElement.clientWidth)(document.querySelectorAll("td time"))`;
    assert(await page.evaluate<number>(cut) <= 0, "a time is cut");
  },
);
