/** Requests: the list by filters of the address, the search that goes on, and the panel of one receipt. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { createKey } from "../support/manage.ts";
import { until } from "../support/until.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

const rows = (page: Page) => page.locator("tbody tr:has(.row-link)");
const panel = (page: Page) => page.getByRole("complementary", { name: / through |model/ });

/** Asks as a key; `body` goes beside the model. */
async function request(
  { gateway }: Pick<ConsoleStory, "gateway">,
  { key = gateway.apiKey, ...body }: Readonly<Record<string, string>>,
): Promise<void> {
  await (await ask({ url: gateway.url, apiKey: key }, { model: "mock/model", input: "Hi", ...body })).text();
}

consoleStory(
  { name: "requests are listed with names, models, tokens, cost and state", session: "manager" },
  async (story) => {
    const { page, open, gateway } = story;
    const { key } = await createKey(gateway, { name: "desk" });
    await request(story, { key });
    await request(story, { model: "nobody/has-this" });
    await open("/requests");
    await rows(page).nth(1).waitFor();
    const answered = rows(page).filter({ hasText: "desk" });
    for (const text of ["Completed", "$0.0210", "Mock", "model"]) {
      await answered.getByText(text).last().waitFor();
    }
    const refused = rows(page).filter({ hasText: "First API key" });
    await refused.getByText(/^(?:Refused|Failed) 40\d$/).waitFor();
    await refused.getByText("has-this").waitFor();
    await screenshots(page, "requests-first");
    assert.equal(await page.getByText(/[0-9a-f]{64}/).count(), 0, "no hash is shown");
  },
);

consoleStory(
  { name: "filters stand in the address, each chip takes its own away", session: "manager" },
  async (story) => {
    const { page, open, gateway } = story;
    const { key } = await createKey(gateway, { name: "desk" });
    await request(story, { key, user: "ada" });
    await request(story, { user: "grace" });
    await open("/requests");
    await rows(page).nth(1).waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("dialog").getByLabel("Key", { exact: true }).fill("nobody");
    await page.getByRole("button", { name: "Show requests" }).click();
    await page.getByText("No key is called nobody.").waitFor();
    await page.getByRole("dialog").getByLabel("Key", { exact: true }).fill("desk");
    await page.getByRole("dialog").getByLabel("User", { exact: true }).fill("ada");
    await page.getByRole("button", { name: "Show requests" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.waitForURL(/key=[0-9a-f]+.*user=ada|user=ada.*key=/);
    await page.getByText("1 request found").waitFor();
    await page.reload();
    await page.getByText("1 request found").waitFor();
    await page.getByRole("button", { name: "Remove filter User ada" }).click();
    await page.getByRole("button", { name: "Remove filter Key desk" }).click();
    await rows(page).nth(1).waitFor();
    await page.getByLabel("State", { exact: true }).selectOption("Failed");
    await page.getByText("No request found").waitFor();
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await rows(page).nth(1).waitFor();
  },
);

consoleStory(
  { name: "a text is searched for, and an id is found whatever the time", session: "manager" },
  async (story) => {
    const { page, open, gateway } = story;
    await request(story, { user: "ada" });
    const response = await ask(gateway, { model: "mock/model", input: "Hi", user: "grace" });
    const { id } = Object(await response.json());
    await open("/requests");
    await rows(page).nth(1).waitFor();
    const search = page.getByRole("searchbox", { name: "Search requests" });
    await search.fill("GRA");
    await page.getByText("1 request found").waitFor();
    await open("/requests?until=2020-01-01T00:00:00.000Z");
    await page.getByText("No request found").waitFor();
    await search.fill(id);
    await page.getByText("1 request found").waitFor();
    assert.match(page.url(), /id=resp_/);
    await search.fill("resp_up");
    await page.getByRole("button", { name: "Look for it as an id, at any time" }).click();
    await rows(page).nth(1).waitFor();
  },
);

consoleStory(
  { name: "a panel shows attempts, the bill to nine decimals, ids and why", session: "manager" },
  async (story) => {
    const { page, open } = story;
    await request(story, { user: "ada", session_id: "sess-review" });
    await open("/requests");
    await rows(page).first().locator("td").nth(2).click();
    const shown = panel(page);
    await shown.getByRole("heading", { name: "model through Mock" }).waitFor();
    for (const name of ["Attempts", "Bill, line by line", "Why Mock", "About"]) {
      await shown.getByRole("heading", { name, exact: true }).waitFor();
    }
    await shown.getByText("1 of 1 that may serve.").waitFor();
    await shown.getByText("Charged to First API key").waitFor();
    await shown.getByRole("button", { name: "Explain again now" }).click();
    await shown.getByText("Order now").waitFor();
    await screenshots(page, "requests-panel");
    await shown.getByRole("link", { name: "ada" }).click();
    await page.getByRole("button", { name: "Remove filter User ada" }).waitFor();
    await page.keyboard.press("Escape");
    await shown.waitFor({ state: "detached" });
  },
);

consoleStory(
  { name: "a span of the histogram narrows the time, by pointer and by keyboard", session: "manager" },
  async (story) => {
    const { page, open } = story;
    await request(story, {});
    await open("/requests");
    const bars = page.getByRole("group", { name: /^Drag over bars/ });
    await bars.waitFor();
    const { x = 0, y = 0, width = 0, height = 0 } = await bars.boundingBox() ?? {};
    await page.mouse.move(x + 0.1 * width, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 0.5 * width, y + height / 2);
    await page.mouse.up();
    await page.waitForURL(/since=.*until=/);
    await page.getByText("No request found").waitFor();
    await page.goBack();
    await rows(page).first().waitFor();
    await page.mouse.move(0, 0);
    await bars.focus();
    for (const key of ["ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft", "Enter"]) {
      await page.keyboard.press(key);
    }
    await page.waitForURL(/since=.*until=/);
    await rows(page).first().waitFor();
    const query = new URL(page.url()).searchParams;
    const span = Date.parse(query.get("until") ?? "") - Date.parse(query.get("since") ?? "");
    assert.equal(span, 3 * 3_600_000, "three bars of an hour");
  },
);

interface Figure {
  readonly page: string;
  /** Row of the table, and the number in it; the first link so called where no row is named. */
  readonly row?: string;
  readonly number: RegExp;
  readonly filters: RegExp;
}

const figures: readonly Figure[] = [
  { page: "", number: /^\$0\.04$/, filters: /since=/ },
  { page: "", row: "desk", number: /^\$0\.02$/, filters: /key=[0-9a-f]{64}.*since=/ },
  {
    page: "?range=7d",
    row: "Mock",
    number: /^0$/,
    filters: /^(?=.*range=7d)(?=.*provider=Mock)(?=.*status=failed)/,
  },
  { page: "/keys", row: "desk", number: /^\$0\.02$/, filters: /key=[0-9a-f]{64}.*since=/ },
  {
    page: "/workspaces",
    row: "Default",
    number: /^\$0\.04$/,
    filters: /^(?=.*workspace=default)(?=.*since=)/,
  },
  { page: "/workspaces", row: "Default", number: /^2$/, filters: /^(?=.*workspace=default)(?=.*since=)/ },
];

for (const { page: path, row, number, filters } of figures) {
  consoleStory(
    {
      name: `${number.source} ${row ?? ""} of /console${path} leads to its requests and back`,
      session: "manager",
    },
    async (story) => {
      const { page, open, gateway } = story;
      const { key } = await createKey(gateway, { name: "desk" });
      await request(story, { key });
      await request(story, {});
      await open(path);
      const place = row === undefined ? page : page.getByRole("row").filter({ hasText: row });
      const figure = place.getByRole("link", { name: number }).and(page.getByTitle("Show these requests"))
        .first();
      await figure.click();
      await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
      assert.match(page.url(), filters);
      if (!filters.source.includes("failed")) await rows(page).first().waitFor();
      await page.goBack();
      await figure.waitFor();
    },
  );
}

consoleStory(
  { name: "sessions have turns, cost and time, and lead to their requests", session: "manager" },
  async (story) => {
    const { page, open } = story;
    for (const session_id of ["review-1", "review-1", "triage"]) await request(story, { session_id });
    await request(story, {});
    await open("/requests");
    await page.getByRole("link", { name: "Sessions", exact: true }).click();
    const review = rows(page).filter({ hasText: "review-1" });
    for (const text of ["2", "$0.0420", "model"]) {
      await review.getByText(text, { exact: true }).last().waitFor();
    }
    await page.getByText("2 sessions").waitFor();
    await screenshots(page, "sessions");
    await review.locator("td").nth(2).click();
    await page.getByText("2 requests found").waitFor();
    assert.match(page.url(), /session=review-1/);
  },
);

consoleStory(
  { name: "a list that is live shows requests as they end, and waits under the pointer", session: "manager" },
  async (story) => {
    const { page, open } = story;
    await request(story, {});
    await open("/requests");
    await page.getByRole("button", { name: "Live" }).click();
    await page.getByText("Live. Pauses under the pointer").waitFor();
    await page.getByText("Requests 1 to").waitFor({ state: "detached" });
    await until(async () => {
      await request(story, {});
      return await rows(page).count() > 1;
    }, { what: "a request that has just ended" });
    const before = await rows(page).count();
    await rows(page).first().hover();
    await request(story, { user: "ada" });
    await page.getByText(/^Paused, \d requests? new$/).waitFor();
    assert.equal(await rows(page).count(), before);
    await screenshots(page, "requests-live");
    await page.mouse.move(0, 0);
    await until(async () => await rows(page).count() > before, { what: "what has waited" });
    await page.getByRole("button", { name: "Live" }).click();
    await page.getByText(/^Requests 1 to/).waitFor();
  },
);

const exports = [
  {
    path: "/requests?user=ada",
    name: /^receipts-.*\.csv$/,
    format: "CSV",
    has: /^id,request_id[^]*"?'=cmd\(\)/,
  },
  { path: "/requests?user=ada", name: /^receipts-.*\.jsonl$/, format: "JSON lines", has: /^\{"id":"gen-/ },
  { path: "/keys?q=desk", name: /^keys-.*\.csv$/, format: "CSV", has: /^hash,[^]*desk/ },
  { path: "?by=model", name: /^analytics-.*\.csv$/, format: "Sums, CSV", has: /mock\/model/ },
] as const;

for (const { path, name, format, has } of exports) {
  consoleStory(
    { name: `/console${path} is exported as ${format}, formulas defused`, session: "manager" },
    async (story) => {
      const { page, open, gateway } = story;
      const { key } = await createKey(gateway, { name: "desk" });
      await request(story, { key, user: "ada", session_id: "=cmd()" });
      await open(path);
      await page.getByText("Export", { exact: true }).click();
      const downloaded = page.waitForEvent("download");
      await page.getByRole("group", { name: "Export" }).getByText(format, { exact: true }).click();
      const file = await downloaded;
      assert.match(file.suggestedFilename(), name);
      const text = await Deno.readTextFile(await file.path());
      assert.match(text, has);
      assert.equal(text.includes("grace"), false);
    },
  );
}
