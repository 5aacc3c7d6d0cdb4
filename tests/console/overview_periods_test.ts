/** Stories of the overview over time: periods of one's own, sums that add up, the period before, and a forecast. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { managed } from "../support/manage.ts";
import { consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

const DAY_MS = 86_400_000;
const request = { model: "mock/model", input: "Hi" };

const today = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

interface Query {
  readonly metrics: readonly string[];
  readonly dimensions?: readonly string[];
}

/** Answers queries of sums without a dimension with `usd` of each of the last 16 days, half of it in the first eight. */
async function spendEveryDay(page: Page, usd: number): Promise<void> {
  await page.route("**/console/api/analytics/query", (route) => {
    const query: Query = route.request().postDataJSON();
    if (query.dimensions !== undefined || !query.metrics.includes("total_usage")) return route.continue();
    const data = Array.from({ length: 16 }, (_, at) => ({
      date: new Date(today() - (15 - at) * DAY_MS).toISOString(),
      total_usage: at < 8 ? usd / 2 : usd,
      request_count: 10,
      tokens_prompt: at < 8 ? 4 : 2,
      tokens_completion: 0,
    }));
    const metadata = { query_time_ms: 1, row_count: data.length, truncated: false };
    return route.fulfill({ json: { data: { data, metadata } } });
  });
}

consoleStory(
  { name: "a period is compared with the one before, without what still runs", session: "reader" },
  async ({ page, gateway, open }) => {
    await (await ask(gateway, request)).text();
    await spendEveryDay(page, 8);
    await open("?range=7d");
    const spend = page.getByRole("region", { name: "Spend", exact: true });
    await spend.getByText(/\+\d+ % against the 7 d before, without the running day$/).waitFor();
    const requests = page.getByRole("region", { name: "Requests" });
    await requests.getByText("as much as in the 7 d before, without the running day").waitFor();
    await page.getByRole("region", { name: "Tokens" }).getByText(/^−\d+ % against the 7 d before/).waitFor();
    await screenshots(page, "overview-compared");
  },
);

consoleStory(
  { name: "the month's end is foretold, and held against the budget", session: "manager" },
  async ({ page, gateway, open }) => {
    await (await ask(gateway, request)).text();
    await spendEveryDay(page, 8);
    const budget = { call: "PUT /workspaces/default/budgets/monthly", body: { limit_usd: 1 } };
    await managed(gateway, budget);
    await open();
    await page.getByText(/^about \$\d+\.\d\d at its end$/).waitFor();
    await open("?workspace=default");
    await page.getByText(/^about \$\d+\.\d\d at its end: over the budget$/).waitFor();
  },
);

consoleStory(
  { name: "figures between two days stand in the address, and their requests too", session: "reader" },
  async ({ page, gateway, open }) => {
    await (await ask(gateway, request)).text();
    await open();
    await page.getByRole("button", { name: "Between …" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("First day").fill("2020-01-01");
    await dialog.getByText("at most 366 days").waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Show" }).isDisabled(), true);
    await dialog.getByLabel("First day").fill(dayOf(today() - 9 * DAY_MS));
    await dialog.getByLabel("Last day").fill(dayOf(today()));
    await screenshots(page, "overview-span");
    await dialog.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/since=/);
    await page.getByRole("img", { name: /^Spend by model, \d+ \w+, 00:00 to \d+ \w+, 00:00, \$0\.0/ })
      .waitFor();
    assert.equal(await page.getByRole("button", { name: "Between …" }).getAttribute("aria-pressed"), "true");
    await page.reload();
    await page.getByRole("button", { name: "Table", exact: true }).click();
    const table = page.getByRole("region", { name: "Spend, as a table" });
    assert.equal(await table.getByRole("row").count(), 11);
    await page.getByRole("region", { name: "Requests" }).getByRole("link").first().click();
    await page.getByText(/^Requests 1 to 1/).waitFor();
    assert.match(page.url(), /since=/);
    await page.goBack();
    await page.getByRole("button", { name: "24 h" }).click();
    await page.waitForURL((url) => !url.searchParams.has("since"));
  },
);

consoleStory(
  { name: "bars add up on request, and their sums stay", session: "reader" },
  async ({ page, gateway, open }) => {
    await (await ask(gateway, request)).text();
    await open("?range=7d&show=table");
    const table = page.getByRole("region", { name: "Spend, as a table" });
    const newest = () => table.getByRole("row").nth(1).locator("td").nth(1).innerText();
    await table.getByRole("row").nth(7).waitFor();
    const spent = await newest();
    await (await ask(gateway, request)).text();
    await page.getByRole("button", { name: "Added up" }).click();
    await page.waitForURL(/sum=running/);
    assert.equal(await newest(), spent, "nothing was spent on the days before");
    await page.getByRole("button", { name: "Chart", exact: true }).click();
    await page.getByRole("img", { name: /^Spend by model, last 7 d/ }).waitFor();
    await page.getByRole("button", { name: "Added up" }).click();
    await page.waitForURL((url) => !url.searchParams.has("sum"));
  },
);

consoleStory(
  { name: "spend is told by user, session and application, with a way to their requests", session: "reader" },
  async ({ page, gateway, open }) => {
    const hostile = "<img src=x onerror=alert(1)> \u202ereversed";
    for (const user of ["ada", "ada", hostile]) {
      await (await ask(gateway, { ...request, user, session_id: `of ${user}` })).text();
    }
    await open("?by=user");
    const list = page.getByRole("list", { name: "Spend" });
    await list.getByRole("button", { name: /^ada/ }).waitFor();
    await list.getByText(hostile).waitFor();
    await screenshots(page, "overview-users");
    await page.getByLabel("By", { exact: true }).selectOption("session");
    await list.getByRole("button", { name: /^of ada/ }).waitFor();
    await page.getByLabel("By", { exact: true }).selectOption("application");
    await list.getByRole("button", { name: /^–/ }).waitFor();
    await page.getByLabel("By", { exact: true }).selectOption("user");
    await page.getByRole("table", { name: "Top users" }).getByRole("link", { name: "ada" }).click();
    await page.waitForURL(/requests.*user=ada/);
    await page.locator("tbody tr:has(.row-link)").nth(1).waitFor();
    assert.equal(await page.locator("img").count(), 0);
  },
);
