/** Tables with long names: nothing is cut away, the state stays, and a row opens wherever it is clicked. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask } from "../support/call.ts";
import { makeToolFile } from "../support/folder_gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";

/** A name of 100 characters that no line breaks. */
const long = (name: string) => name.padEnd(100, "W");

/** Table boxes that are narrower than what is in them, and tables that are wider than their place. */
const tooNarrow = `(() => {
  const boxes = [...document.querySelectorAll(".table-box")]
    .filter((box) => box.scrollWidth > box.clientWidth)
    .map((box) => [box.querySelector("caption").textContent, box.scrollWidth, box.clientWidth].join(" "));
  const tables = [...document.querySelectorAll(".panel .mini")]
    .filter((table) => table.getBoundingClientRect().width > table.parentElement.clientWidth + 1)
    .map((table) => "a table of the panel");
  return [...boxes, ...tables];
})()`;

/** Chips of the filters that stand below the first line. */
const wrapped =
  `[...document.querySelectorAll(".filters > *")].filter((one) => one.getClientRects().length > 0)
  .filter((one) => Math.abs(one.getBoundingClientRect().top + one.getBoundingClientRect().bottom -
    document.querySelector(".filters > *").getBoundingClientRect().top -
    document.querySelector(".filters > *").getBoundingClientRect().bottom) > 8)
  .map((one) => one.textContent)`;

async function fill({ gateway }: Pick<ConsoleStory, "gateway">): Promise<void> {
  const workspace = { name: long("Workspace"), slug: "long" };
  const { body } = await managed(gateway, { call: "POST /workspaces", body: workspace });
  const { id } = Object(body.data);
  const { key } = await createKey(gateway, {
    name: long("Key"),
    workspace_id: id,
    limit: 1_000_000,
    limit_reset: "monthly",
  });
  for (const apiKey of [key, gateway.apiKey]) {
    await (await ask({ url: gateway.url, apiKey }, { model: "mock/model", input: "Hi" })).text();
  }
  const guardrail = { name: long("Guardrail"), description: long("For"), workspace_id: null, limit_usd: 5 };
  await managed(gateway, { call: "POST /guardrails", body: { ...guardrail, reset_interval: "daily" } });
  const brought = { provider: "openai", key: "sk-0123456789", name: long("Provider"), workspace_id: id };
  await managed(gateway, { call: "POST /byok", body: brought });
  const config = { url: `https://${"w".repeat(60)}.example/${long("hook")}`, headers: { [long("X")]: "a" } };
  const destination = { type: "webhook", name: long("Destination"), workspace_id: id, config };
  await managed(gateway, { call: "POST /observability/destinations", body: destination });
  const conditions = [{ field: "model", operator: "equals", value: long("Value") }];
  const rule = { name: long("Rule"), tag: "t".repeat(50), workspace_id: id, conditions };
  await managed(gateway, { call: "POST /observability/classifiers", body: rule });
  const saved = { call: "POST /presets/long/chat/completions", body: { model: long("model/") } };
  await managed(gateway, saved);
  const preset = { name: long("Preset"), description: long("For") };
  await managed(gateway, { call: "PATCH /presets/long", body: preset });
  const client = { name: long("Client"), workspace_id: id };
  await managed(gateway, { call: "POST /connect/clients", body: client });
  await managed(gateway, { call: "POST /management-keys", body: { name: long("Management") } });
  const reason = { amount_usd: 9_000_000, reason: long("Reason") };
  await managed(gateway, { call: "POST /credits", body: reason });
  await makeToolFile(gateway, new TextEncoder().encode("a"), {
    filename: `${"F".repeat(96)}.csv`,
  });
}

/** Names of 100 characters in what only providers name. */
async function nameEndpoints(page: Page): Promise<void> {
  const told = await page.evaluate("fetch('/console/api/status').then((answer) => answer.json())");
  const endpoint = {
    ...{ provider: "x", provider_name: long("Provider"), model: long("model/"), is_byok: false },
    ...{ rests_until: null, single_use_until: null, reason: long("status 401"), p50_ms: 123_456 },
    ...{ requests_5m: 1_234_567, failures_5m: 1_234_567 },
  };
  const endpoints = ["misconfigured", "cooling_down", "probe", "well"].map((standing) => ({
    ...endpoint,
    endpoint_id: standing,
    standing,
  }));
  const data = { ...Object(told).data, endpoints };
  await page.route("**/console/api/status", (route) => route.fulfill({ json: { data } }));
}

/** A model with names of 100 characters in what only providers and their lists name. */
function longModel() {
  const prices = {
    pricing: { prompt: "0.001234567", completion: "0.123456789", [long("rate")]: "0.5" },
    ...{ unpriced: false, price_source: { name: long("source"), date: "2026-11-22" } },
  };
  const endpoint = {
    ...prices,
    ...{ provider: "x", upstream_model: long("model"), is_byok: true, allowed: true, reason: null },
    ...{ max_output_tokens: null, quantization: long("int"), region: long("region") },
    ...{ rests_until: null, last_failure: long("status 429"), p50_ms: 123_456, tokens_per_second: 123_456 },
    ...{ uptime_last_1d: 99.9, requests_1d: 12_345_678 },
  };
  const endpoints = ["misconfigured", "cooling_down", "probe", "well"].map((standing) => ({
    ...{ ...endpoint, endpoint_id: standing, standing, provider: standing, provider_name: long(standing) },
  }));
  const refusal = { allowed: false, reason: long("is not listed") };
  const id = `${long("author")}/${long("model")}`;
  return {
    ...prices,
    ...{ id, name: long("Model"), description: long("about"), created: 1, allowed: true },
    ...{ context_length: 1_048_576, supported_parameters: [long("tools")] },
    ...{ input_modalities: [long("in")], output_modalities: [long("out")] },
    endpoints: [...endpoints, { ...endpoints[3], ...refusal, endpoint_id: "shut out" }],
  };
}

async function nameModels(page: Page): Promise<void> {
  const told = { data: [longModel()], total_count: 1 };
  await page.route("**/console/api/models?*", (route) => route.fulfill({ json: told }));
}

interface TableView {
  readonly path: string;
  /** Puts long names into what the gateway tells. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Text of the row that is opened; nothing is opened where there is none. */
  readonly row?: RegExp;
  /** Title of its panel, where that is another text. */
  readonly title?: RegExp;
  /** Text of a page that has no row to open, when it is there. */
  readonly shows?: RegExp;
}

const tables: readonly TableView[] = [
  { path: "/requests", row: /KeyW+/, title: /^model through/ },
  { path: "/keys", row: /^KeyW+/ },
  { path: "/workspaces", row: /^WorkspaceW+/ },
  { path: "/guardrails", row: /^GuardrailW+/ },
  { path: "/byok", row: /^ProviderW+/ },
  { path: "/destinations", row: /^DestinationW+/ },
  { path: "/presets", row: /^PresetW+/ },
  { path: "/tags", row: /^RuleW+/ },
  { path: "/audit", row: /ManagementW+/, title: /^Created a management key/ },
  { path: "/settings?from=any", shows: /^\d+ settings$/ },
  { path: "/settings?view=sessions", shows: /^\d sessions?$/ },
  { path: "/settings?view=credits", shows: /^ReasonW+/ },
  { path: "/clients", row: /^ClientW+/ },
  { path: "/keys?view=management", row: /^ManagementW+/ },
  { path: "/files", row: /^F+\.csv/ },
  { path: "/models", row: /modelW+/, title: /^ModelW+/, prepare: nameModels },
  { path: "/models?view=providers", shows: /^wellW+/, prepare: nameModels },
  { path: "", shows: /^To be tried with the next request/, prepare: nameEndpoints },
];

for (const { path, row, title = row, shows = /./, prepare } of tables) {
  consoleStory(
    {
      name: `no table of /console${path} is wider than its box, with names of 100 characters`,
      session: "manager",
    },
    async (story) => {
      const { page, open } = story;
      await fill(story);
      const fits = async (what: string) => {
        for (const width of [360, 480, 768, 1100, 1280, 1440]) {
          await page.setViewportSize({ width, height: 800 });
          assert.deepEqual(await page.evaluate<string[]>(tooNarrow), [], `${what} at ${width} px`);
          if (width < 1200) continue;
          assert.deepEqual(await page.evaluate<string[]>(wrapped), [], `${what}: filters at ${width} px`);
        }
      };
      await open(path);
      await prepare?.(page);
      if (prepare !== undefined) await page.reload();
      if (row === undefined) {
        await page.getByText(shows).first().waitFor();
        return await fits("the page");
      }
      const cells = page.locator("tbody tr").filter({ hasText: row });
      await cells.first().waitFor();
      await fits("the list");
      // Not on the name: the whole row opens.
      await cells.first().locator("td").nth(2).click();
      await page.getByRole("complementary").getByRole("heading", { name: title }).first().waitFor();
      await fits("the list beside a panel");
    },
  );
}

consoleStory(
  { name: "at 360 px a key's state is there, and what is cut has a title", session: "manager", width: 360 },
  async (story) => {
    const { page, open, gateway } = story;
    await fill(story);
    await createKey(gateway, { name: "closed", limit: 0 });
    await open("/keys");
    const row = page.getByRole("row").filter({ hasText: "closed" });
    await row.getByText("Limit reached").waitFor();
    const name = page.getByRole("button", { name: /^KeyW+/ });
    await name.hover();
    assert.equal(await page.locator("td[title^=KeyW]").count(), 1);
  },
);

consoleStory(
  { name: "an explained route fits, with names of 100 characters", session: "manager" },
  async ({ page, open }) => {
    const endpoint = {
      ...{ model: long("model/"), provider: long("Provider"), probability: 0.5, latency: 123_456 },
      price: { prompt: 1_234.567_891, completion: 12_345.678_912 },
    };
    const candidates = [
      { ...endpoint, excluded_by: null, position: 1 },
      { ...endpoint, excluded_by: long("filter_"), detail: long("is"), position: null },
    ];
    const limit = { source: "key", name: long("Key"), period: "monthly", limit_usd: 5, spend_usd: 1 };
    const reservation = {
      ...{ reserved_usd: 1, output_cap: 100_000, refusal: null },
      limits: [{ ...limit, reserved_usd: 1 }],
    };
    const route = { exact: false, candidates, reservation, refusal: { status: 404, message: long("No") } };
    await page.route("**/console/api/route/explain?*", (request) => request.fulfill({ json: route }));
    await open("/models?view=route");
    await page.getByRole("button", { name: "Explain", exact: true }).click();
    await page.getByText("Asked first").waitFor();
    for (const width of [360, 768, 1100, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await page.evaluate<string[]>(tooNarrow), [], `at ${width} px`);
      const [content = 0, room = 0] = await page.evaluate<number[]>(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
      );
      assert(content <= room, `${content} px wide at ${width} px`);
    }
  },
);
