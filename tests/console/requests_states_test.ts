/** Requests in odd states: texts of callers, fall-backs, ended sessions, read-only keys, keyboard only. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { mockModel, providerAt } from "../support/gateway.ts";
import { says, type Script, scripted } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { consoleStory, signedIn } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

const rows = (page: Page) => page.locator("tbody tr:has(.row-link)");

/** Texts that must stay texts: markup, a turned direction, a formula, a line without an end. */
const hostile = [
  "<img src=x onerror=alert(1)>",
  "\u202Egnp.exe",
  "=cmd()",
  `</script><script>document.title='gone'</script>`,
  "W".repeat(400),
];

/** Boxes and lines that are wider than their place. */
const tooWide =
  `[...document.querySelectorAll(".table-box, .panel-body, .panel-body section, .panel-body dd, .set-filters")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.className + " " + box.scrollWidth + " > " + box.clientWidth + " " + box.textContent.slice(0, 60))`;

consoleStory(
  { name: "texts of callers are text only, and wider than no place", session: "manager" },
  async (story) => {
    const { page, open, gateway } = story;
    for (const text of hostile) {
      const body = {
        model: "mock/model",
        input: "Hi",
        user: text.slice(0, 200),
        session_id: text.slice(0, 200),
      };
      await (await ask(gateway, body, { headers: { "x-title": "<b>App</b>" } })).text();
      await (await ask(gateway, { model: text.slice(0, 200), input: "Hi" })).text();
    }
    await open("/requests");
    await rows(page).nth(9).waitFor();
    for (let at = 0; at < 10; at++) {
      await rows(page).nth(at).locator(".row-link").click();
      await page.getByRole("heading", { name: "About" }).waitFor();
      for (const width of [360, 768, 1280, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await page.evaluate<string[]>(tooWide), [], `row ${at} at ${width} px`);
      }
      if (at === 9) await screenshots(page, "requests-hostile");
      await page.keyboard.press("Escape");
    }
    assert.equal(await page.locator("main img, .panel img").count(), 0);
    assert.equal(await page.title(), "Requests · Tollgate");
    await open(`/requests?view=sessions`);
    await page.getByRole("link", { name: hostile[0] ?? "" }).waitFor();
    for (const width of [360, 768, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await page.evaluate<string[]>(tooWide), [], `sessions at ${width} px`);
    }
    await open(`/requests?user=${encodeURIComponent(hostile[0] ?? "")}`);
    await page.getByText("1 request found").waitFor();
  },
);

const refuses: Script = () =>
  Response.json({ error: { message: "Slow down <b>now</b>", code: "rate_limit" } }, { status: 429 });

const busy = scripted(refuses);
const calm = scripted(says("responses", "Here you are."));
Deno.test.afterAll(async () => {
  await busy.close();
  await calm.close();
});

consoleStory(
  {
    name: "a request that fell back says so, with what each provider answered, and is filtered by it",
    session: "manager",
    gateway: {
      providers: [
        providerAt(busy.baseUrl, {
          id: "busy",
          name: "Busy",
          models: [{ ...mockModel, pricing: { prompt: "0", completion: "0" } }],
        }),
        providerAt(calm.baseUrl, {
          models: [{ ...mockModel, pricing: { prompt: "0.001", completion: "0.002" } }],
        }),
      ],
    },
  },
  async (story) => {
    const { page, open, gateway } = story;
    const body = { model: "mock/model", input: "Hi", provider: { order: ["busy", "mock"] } };
    await (await ask(gateway, body)).text();
    await open("/requests?fell_back=true");
    await page.getByText("1 request found").waitFor();
    await rows(page).getByText("+1 try").waitFor();
    await rows(page).locator("td").nth(1).click();
    const attempts = page.getByRole("region", { name: "Attempts" });
    await attempts.getByText("2, the last one answered").waitFor();
    await attempts.getByText(/^429/).waitFor();
    await attempts.getByRole("img", { name: /^Busy: 429/ }).waitFor();
    await page.getByText(/after .* at Busy/).waitFor();
    await screenshots(page, "requests-fell-back");
  },
);

consoleStory(
  { name: "a session that ends beside an open receipt leads back to it", session: "manager" },
  async (story) => {
    const { page, context, open, gateway, watch } = story;
    await (await ask(gateway, { model: "mock/model", input: "Hi" })).text();
    await open("/requests");
    await rows(page).locator("td").nth(1).click();
    await page.getByRole("heading", { name: "About" }).waitFor();
    const address = page.url();
    await context.clearCookies();
    watch.expect(/ 401 /);
    await page.getByLabel("State", { exact: true }).selectOption("Failed");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByText(/back on Requests/).waitFor();
    await page.getByLabel("Key", { exact: true }).fill(gateway.managementKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await signedIn(page);
    await page.getByRole("heading", { name: "About" }).waitFor();
    assert.equal(
      new URL(page.url()).searchParams.get("receipt"),
      new URL(address).searchParams.get("receipt"),
    );
  },
);

consoleStory(
  { name: "a read-only key sees a receipt and has its route explained", session: "reader" },
  async ({ page, open, gateway }) => {
    await (await ask(gateway, { model: "mock/model", input: "Hi" })).text();
    await open("/requests");
    await rows(page).locator("td").nth(1).click();
    await page.getByRole("button", { name: "Explain again now" }).click();
    await page.getByText("Order now").waitFor();
  },
);

const focused = (page: Page) =>
  page.evaluate<string>(
    "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''",
  );

consoleStory(
  { name: "by keyboard: search, rows, a receipt, the next one, and back to its row", session: "manager" },
  async ({ page, open, gateway }) => {
    for (const user of ["ada", "grace"]) {
      await (await ask(gateway, { model: "mock/model", input: "Hi", user })).text();
    }
    const response = await ask(gateway, { model: "mock/model", input: "Hi", user: "linus" });
    const { id } = Object(await response.json());
    await open("/requests");
    await rows(page).nth(2).waitFor();
    await page.keyboard.press("/");
    await until(async () => await focused(page) === "Search requests", { what: "the search" });
    await rows(page).first().locator(".row-link").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "About" }).waitFor();
    const first = new URL(page.url()).searchParams.get("receipt");
    await page.keyboard.press("Alt+ArrowDown");
    await until(() => new URL(page.url()).searchParams.get("receipt") !== first, {
      what: "the older request",
    });
    await page.keyboard.press("Escape");
    await until(() => !page.url().includes("receipt="), { what: "the panel's closing" });
    await until(async () => /^\d\d:\d\d:\d\d/.test(await focused(page)), { what: "the focus on the row" });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search, or go to" }).fill(id);
    await page.getByRole("group", { name: "Requests" }).getByRole("option").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("1 request found").waitFor();
  },
);

/** Calls of a turn with a tool, and a filter that matched. */
const changes = {
  calls: [
    {
      step: 1,
      purpose: "model",
      model: "mock/model",
      provider: "Mock",
      status: "completed",
      latency_ms: 410,
      cost: 0.007,
    },
    {
      step: 1,
      purpose: "tool:bash",
      model: null,
      provider: null,
      status: "failed",
      latency_ms: 2_400,
      cost: 0,
      commands: 3,
      command_seconds: 2.1,
    },
    {
      step: 2,
      purpose: "other",
      model: null,
      provider: null,
      status: "completed",
      latency_ms: 90,
      cost: 0.014,
      count: 12,
    },
  ],
  lines: [
    { rate: "prompt", quantity: 7, unit_price: "0.001", call: 0 },
    { rate: "completion", quantity: 7, unit_price: "0.002", call: 2 },
  ],
  guardrails: [
    { id: crypto.randomUUID(), action: "redacted", slug: "email", side: "input", count: 2 },
    { id: crypto.randomUUID(), action: "flagged", label: "<b>[invoice]</b>", side: "output", count: 1 },
  ],
  price_source: { name: "the providers' own documentation", date: "2026-11-21" },
  reported_cost: 0.021,
  overrun: 0.000000001,
  estimated: true,
  unpriced: true,
} as const;

consoleStory(
  {
    name: "a receipt shows its tool steps call by call, guardrail stages and where prices are from",
    session: "manager",
  },
  async ({ page, open, gateway }) => {
    await (await ask(gateway, { model: "mock/model", input: "Hi" })).text();
    await open("/requests");
    const told = Object(
      await page.evaluate("fetch('/console/api/receipts').then((answer) => answer.json())"),
    );
    const data = told.data.map((receipt: object) => ({ ...receipt, ...changes }));
    await page.route(/\/console\/api\/receipts\?/, (route) => route.fulfill({ json: { ...told, data } }));
    await page.reload();
    await rows(page).locator("td").nth(1).click();
    const section = (name: string) => page.getByRole("region", { name });
    await section("Calls and tool steps").getByText("14 calls").waitFor();
    for (const text of ["Tool bash", "3 commands, 2.10 s", "All further calls"]) {
      await section("Calls and tool steps").getByText(text).first().waitFor();
    }
    const bill = section("Bill, line by line");
    for (const text of ["Turn 1: Model", "$0.007000", "Turn 2: All further calls", "$0.014000"]) {
      await bill.getByText(text).first().waitFor();
    }
    await bill.getByText(/Prices from the providers' own documentation, 21 Nov 2026/).waitFor();
    await bill.getByText(/beyond its own cap/).waitFor();
    await section("Guardrail stages").getByText(/<b>\[invoice\]<\/b>/).waitFor();
    for (const width of [360, 768, 1280, 1440]) {
      await page.setViewportSize({ width, height: 1_600 });
      assert.deepEqual(await page.evaluate<string[]>(tooWide), [], `at ${width} px`);
    }
    await screenshots(page, "receipt-tools");
  },
);

consoleStory(
  {
    name: "a hidden tab follows nothing, and shows what came in between when it is back",
    session: "manager",
  },
  async ({ page, open, gateway, watch }) => {
    await (await ask(gateway, { model: "mock/model", input: "Hi" })).text();
    await open("/requests?live=on");
    await page.getByText("Live. Pauses under the pointer").waitFor();
    await until(() => watch.pending === 1, { what: "the open stream" });
    const hide = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });
         document.dispatchEvent(new Event("visibilitychange"))`,
      );
    await hide(true);
    await until(() => watch.pending === 0, { what: "the end of the stream" });
    await (await ask(gateway, { model: "mock/model", input: "Hi" })).text();
    assert.equal(await rows(page).count(), 1);
    await hide(false);
    await rows(page).nth(1).waitFor();
    await until(() => watch.pending === 1, { what: "the stream again" });
  },
);
