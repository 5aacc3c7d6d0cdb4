/** Models and providers: the catalog by filters of the address, a model's endpoints, and who may use it. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { TEST_OUTPUT_TOKENS } from "../../shared/management/gateway/providers.ts";
import { mockModel, providerAt } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";
import { untilInPage } from "./support/until_in_page.ts";

const rows = (page: Page) => page.locator("tbody tr:has(.row-link)");
const panel = (page: Page) => page.getByRole("complementary").filter({ has: page.getByRole("heading") });

const priced = (prompt: string, completion: string) => ({ pricing: { prompt, completion } });

/** Four models of two providers, one of them without a price; nobody listens there. */
const providers = [
  providerAt("http://127.0.0.1:9", {
    models: [
      {
        ...{ ...mockModel, supported_parameters: ["tools"] },
        pricing: {
          ...priced("0.000002", "0.00001").pricing,
          overrides: [{ min_prompt_tokens: 100_000, prompt: "0.000004", completion: "0.00002" }],
        },
      },
      {
        ...{ id: "mock/small", upstream_id: "small", context_length: 32_000, input_modalities: ["text"] },
        ...priced("0.0000001", "0.0000005"),
      },
      { id: "mock/free", upstream_id: "free", context_length: 8_000, ...priced("0", "0") },
    ],
  }),
  providerAt("http://127.0.0.1:9", {
    ...{ id: "house", name: "House" },
    models: [{ id: "house/unknown", upstream_id: "unknown", context_length: 4_000 }],
  }),
];

/** A workspace whose guardrail leaves `mock/small` only. */
async function addStrict({ gateway }: Pick<ConsoleStory, "gateway">): Promise<void> {
  const workspace = { name: "Strict", slug: "strict" };
  const { body } = await managed(gateway, { call: "POST /workspaces", body: workspace });
  const { id } = Object(body.data);
  const { body: { data } } = await managed(gateway, { call: `GET /guardrails?workspace_id=${id}` });
  const [only] = Object(data);
  const rules = { allowed_models: ["mock/small"] };
  await managed(gateway, { call: `PATCH /guardrails/${only.id}`, body: rules });
}

const names = (page: Page) => rows(page).locator(".row-link").allTextContents();

consoleStory(
  {
    name: "models are found by filters of the address, which a reload keeps",
    session: "manager",
    gateway: { providers },
  },
  async ({ page, open }) => {
    await open("/models?sort=input");
    await page.getByText("Models 1 to 4 of 4").waitFor();
    assert.deepEqual(await names(page), ["free", "small", "model", "unknown"]);
    const row = rows(page).filter({ hasText: "small" });
    for (const text of ["$0.10", "$0.50", "32,000", "1 of 1"]) {
      await row.getByText(text, { exact: true }).waitFor();
    }
    await rows(page).filter({ hasText: "unknown" }).getByText("Unpriced").waitFor();
    await screenshots(page, "models-first");
    const steps = [
      ["Takes", "image", ["model"]],
      ["Context", "32 k and more", ["small", "model"]],
      ["Can", "tools", ["model"]],
      ["Price", "unpriced", ["unknown"]],
      ["Price", "free", ["free"]],
      ["Price", "input up to $1", ["free", "small"]],
      ["Writes", "text", ["free", "small", "model", "unknown"]],
    ] as const;
    for (const [label, choice, found] of steps) {
      await page.getByLabel(label, { exact: true }).selectOption(choice);
      await untilInPage(page, `document.querySelectorAll("tbody .row-link").length === ${found.length}`);
      await page.reload();
      await page.getByText(`Models 1 to ${found.length} of ${found.length}`).waitFor();
      assert.deepEqual(await names(page), found, `${label} ${choice}`);
      await page.getByLabel(label, { exact: true }).selectOption({ index: 0 });
    }
    await page.getByRole("searchbox", { name: "Search models" }).fill("HOUSE");
    await page.getByText("Models 1 to 1 of 1").waitFor();
    await page.getByRole("searchbox", { name: "Search models" }).fill("nobody");
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await page.getByText("Models 1 to 4 of 4").waitFor();
    await page.getByRole("button", { name: "Context" }).click();
    await page.waitForURL(/sort=context/);
    assert.deepEqual(await names(page), ["model", "small", "free", "unknown"]);
  },
);

consoleStory(
  { name: "a model's panel tells prices, endpoints and who may use it", session: "reader" },
  async (story) => {
    const { page, open, gateway, context } = story;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await addStrict(story);
    await (await ask(gateway, { model: "mock/model", input: "Hi" })).text();
    await open("/models");
    await rows(page).first().locator("td").nth(1).click();
    const shown = panel(page);
    await shown.getByText("$1,000.00 a million tokens").waitFor();
    await shown.getByText("stated by this version or by the configuration").waitFor();
    await shown.getByRole("cell", { name: /^Mock/ }).getByText("Well").waitFor();
    await shown.getByRole("cell", { name: /^Mock/ }).getByText("$1,000.00 in, $2,000.00 out").waitFor();
    const who = shown.getByRole("list", { name: "Who may use it" });
    await who.getByText("All endpoints").waitFor();
    await who.getByText("Not allowed: it serves a model that the guardrail does not list").waitFor();
    await screenshots(page, "models-panel");
    await shown.getByRole("button", { name: /^mock\/mod/ }).click();
    await shown.getByText("Copied").waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), "mock/model");
    await open("/models?workspace=strict");
    await rows(page).first().getByText("Not allowed").waitFor();
    await rows(page).first().getByRole("link", { name: "1", exact: true }).click();
    await page.getByText(/^Requests 1 to 1/).waitFor();
  },
);

consoleStory(
  {
    name: "models go by keyboard: arrows, Enter, Alt with arrows, Esc",
    session: "manager",
    gateway: { providers },
  },
  async ({ page, open }) => {
    await open("/models?sort=name");
    await rows(page).nth(3).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("mock");
    await page.getByText("Models 1 to 3 of 3").waitFor();
    await page.locator(".row-link").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await panel(page).getByRole("heading", { name: "mock/model" }).waitFor();
    await panel(page).getByText("$4.00 in, $20.00 out where min prompt tokens is 100000").waitFor();
    await page.keyboard.press("Alt+ArrowDown");
    await panel(page).getByRole("heading", { name: "mock/small" }).waitFor();
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.textContent"), "small");
  },
);

consoleStory(
  { name: "an ended session is said in the place of a model's open panel", session: "manager" },
  async ({ page, open, context, watch }) => {
    await open("/models?model=mock%2Fmodel");
    await panel(page).getByText("All endpoints").waitFor();
    watch.expect(/401/);
    await context.clearCookies();
    await page.getByRole("button", { name: /Show health$/ }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
  },
);

consoleStory(
  {
    name: "providers tell what switched them on and how they stand",
    session: "reader",
    gateway: { providers, env: { OPENAI_API_KEY: "planted0123456789Secret", TOLLGATE_LOCAL: "on" } },
  },
  async ({ page, open }) => {
    await open("/models?view=providers");
    await page.getByText(/^\d providers$/).waitFor();
    const row = (name: RegExp) => page.getByRole("row", { name });
    for (
      const [name, text] of [[/^OpenAI/, "OPENAI_API_KEY"], [/^House/, "configuration file"], [
        /^Built in/,
        "TOLLGATE_LOCAL",
      ]] as const
    ) {
      await row(name).getByText(text).waitFor();
      await row(name).getByText("Well").waitFor();
    }
    await screenshots(page, "providers-first");
    assert.equal(await page.getByRole("button", { name: /^Test / }).count(), 0, "a reader tests nothing");
    assert.equal(await page.getByText("planted").count(), 0);
    await row(/^House/).getByRole("link", { name: "House" }).click();
    await page.getByText("Models 1 to 1 of 1").waitFor();
    await page.getByRole("navigation", { name: "Models and providers" }).getByText("Providers").click();
    await page.waitForURL(/view=providers/);
  },
);

consoleStory(
  { name: "a provider is tested by one call, and its words are shown as text", session: "manager" },
  async ({ page, open }) => {
    await open("/models?view=providers");
    await page.getByRole("button", { name: "Test Mock" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`at most ${TEST_OUTPUT_TOKENS} output tokens`).waitFor();
    await dialog.getByRole("button", { name: "Test", exact: true }).click();
    await dialog.getByText("mock/model answered").waitFor();
    await dialog.getByText("Hello from a model that costs something.").waitFor();
    await screenshots(page, "provider-tested");
    await dialog.getByRole("link", { name: "Show the request" }).click();
    await page.getByRole("complementary").getByText("Provider tests").first().waitFor();
  },
);

const refusals = [
  ["as the gateway tells it", undefined, /.+/],
  [
    "as text, whatever is in it",
    "<img src=x onerror=alert(1)> \u202ereversed",
    /^<img src=x onerror=alert\(1\)>/,
  ],
] as const;

for (const [what, error, words] of refusals) {
  consoleStory(
    { name: `the refusal of a provider's test is shown ${what}`, session: "manager", gateway: { providers } },
    async ({ page, open }) => {
      await page.route("**/console/api/providers/*/test", async (route) => {
        const answer = await route.fetch();
        const { data } = await answer.json();
        await route.fulfill({ json: { data: { ...data, error: error ?? data.error } } });
      });
      await open("/models?view=providers&test=mock");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Model", { exact: true }).fill("mock/small");
      await dialog.getByRole("button", { name: "Test", exact: true }).click();
      await dialog.getByText("mock/small did not answer").waitFor();
      await dialog.locator("dd").filter({ hasText: words }).first().waitFor();
      assert.equal(await dialog.locator("img").count(), 0);
      await screenshots(page, `provider-refused-${error === undefined ? "plain" : "markup"}`);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    },
  );
}

consoleStory(
  {
    name: "a route is explained by a form: order, reservation, and what took the others out",
    session: "reader",
    gateway: { providers },
  },
  async ({ page, open }) => {
    await open("/models?view=route");
    await page.getByLabel("Model", { exact: true }).fill("mock/small");
    await page.getByRole("button", { name: "Explain", exact: true }).click();
    await page.getByText("It would be answered.").waitFor();
    await page.getByText(/^\$0\.\d+ would be set aside\./).waitFor();
    await page.getByRole("row", { name: /^1 Mock/ }).getByText("Asked first").waitFor();
    await screenshots(page, "route-form");
    await page.getByRole("switch", { name: "With tools" }).check();
    await page.getByLabel("Key", { exact: true }).fill("First API key");
    await page.getByRole("button", { name: "Explain", exact: true }).click();
    await page.getByText(/^It would be (?:answered|refused)/).waitFor();
    await page.getByLabel("Key", { exact: true }).fill("nobody");
    await page.keyboard.press("Enter");
    await page.getByText("No key is called nobody.").waitFor();
  },
);

consoleStory(
  {
    name: "a route is explained by a whole body, and a wrong one says what is wrong",
    session: "manager",
    gateway: { providers },
  },
  async ({ page, open, watch }) => {
    await open("/models?view=route");
    await page.getByRole("button", { name: "A whole body" }).click();
    const body = page.getByLabel("Body of the request");
    const explain = page.getByRole("button", { name: "Explain", exact: true });
    await body.fill(JSON.stringify({ model: "mock/small", input: "Hi", provider: { zdr: true } }));
    await explain.click();
    await page.getByText("It would be refused with status 404.").waitFor();
    await page.getByRole("row", { name: /Mock/ }).getByText(/^Left out by data policy: zdr: is not known/)
      .waitFor();
    await screenshots(page, "route-refused");
    await body.fill("{");
    await explain.click();
    await page.getByText(/^The body is no JSON/).waitFor();
    watch.expect(/400/);
    await body.fill('{"input": "Hi"}');
    await explain.click();
    await page.getByText("model is missing").waitFor();
  },
);

const longIds = [1, 2, 3, 4].map((number) => `long/${"m".repeat(90)}-${number}`);
const longNamed = providerAt("http://127.0.0.1:9", {
  ...{ id: "long", name: "Long" },
  models: longIds.map((id, at) => ({ ...mockModel, id, upstream_id: `m${at}` })),
});

/** Parts of the comparison that are wider than their place, or reach out of the dialog. */
const cutAway = `(() => {
  const box = document.querySelector(".compare-box");
  const room = document.querySelector("dialog[open]").getBoundingClientRect();
  return [document.documentElement, box, ...box.querySelectorAll("*")]
    .filter((one) => one.getClientRects().length > 0 && !one.closest(".unseen"))
    .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth ||
      box.contains(one) && one.getBoundingClientRect().right > room.right)
    .map((one) => [one.tagName, one.className, one.textContent.slice(0, 60)].join(" "));
})()`;

consoleStory(
  {
    name: "up to four models stand side by side, in the address",
    session: "reader",
    gateway: { providers: [...providers, longNamed] },
  },
  async ({ page, open }) => {
    await open("/models?sort=name");
    for (const id of ["mock/small", "house/unknown"]) {
      await page.getByRole("checkbox", { name: `Select ${id}` }).check();
    }
    await page.getByText("2 models chosen").waitFor();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Models side by side" });
    const input = dialog.getByRole("row", { name: /^Input/ });
    assert.deepEqual(await input.getByRole("cell").allTextContents(), ["$0.10", "Unpriced"]);
    await screenshots(page, "models-compared");
    await page.reload();
    await dialog.getByRole("button", { name: "Leave out house/unknown" }).click();
    await dialog.getByRole("columnheader", { name: "house/unknown" }).waitFor({ state: "detached" });
    assert.deepEqual(await input.getByRole("cell").allTextContents(), ["$0.10"]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Choose none" }).click();
    await page.getByText("1 model chosen").waitFor({ state: "detached" });
    await open("/models?open=compare&compare=nobody%2Fhas-this");
    await page.getByText("None of the chosen models is here any more.").waitFor();
    await open(`/models?open=compare&compare=${encodeURIComponent(longIds.join(" "))}`);
    await dialog.getByText(longIds[3] ?? "").first().waitFor();
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await page.evaluate<string[]>(cutAway), [], `at ${width} px`);
    }
    await screenshots(page, "models-compared-long");
  },
);
