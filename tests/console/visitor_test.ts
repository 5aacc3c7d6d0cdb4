/**
 * A visitor who has ten seconds: eight questions, each from the Overview on and with at most four clicks, over a store
 * that the bench's scripts fill. `TOLLGATE_VISITOR=keys,receipts` sets its size, such as 100000,1000000, and
 * `TOLLGATE_VISITOR_STORE` keeps it in a folder. How long each question takes is printed, and is no verdict.
 */

import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { createRuntime } from "../../server/runtime.ts";
import { createLogger } from "../../server/logger.ts";
import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import { API_KEY, MANAGEMENT_KEY } from "../bench/gateway.ts";
import { runScript } from "../bench/process.ts";
import { ask } from "../support/call.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { makeToolFile } from "../support/folder_gateway.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { browserStory } from "./support/browser_story.ts";
import { buildConsole } from "./support/built_console.ts";
import { pricedModel, signIn } from "./support/console_story.ts";

const MOST_CLICKS = 4;
const [KEYS = "200", RECEIPTS = "720"] = Deno.env.get("TOLLGATE_VISITOR")?.split(",") ?? [];
const STORE = Deno.env.get("TOLLGATE_VISITOR_STORE");
/** Seconds that each script may take. */
const FILL_SECONDS = "1200";
const HOUR_MS = 3_600_000;

/** Counts what the hand does: keys that are typed are none of it. */
class Visitor {
  readonly page: Page;
  clicks = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    this.clicks++;
    await what.click();
  }

  async go(name: string): Promise<void> {
    await this.click(this.page.getByRole("navigation").getByRole("link", { name, exact: true }));
  }

  /** Types into the palette, which a key opens, and takes its first entry. */
  async say(text: string, entry: string): Promise<void> {
    await this.page.keyboard.press("Control+k");
    await this.page.getByRole("combobox", { name: "Search, or go to" }).fill(text);
    await this.page.getByRole("option", { name: entry }).waitFor();
    await this.page.keyboard.press("Enter");
  }
}

interface Visit {
  readonly visitor: Visitor;
  readonly page: Page;
  readonly gateway: Gateway;
  /** The response that a client has in its log. */
  readonly logged: string;
}

/** A receipt that failed days ago. */
async function oldFailure(gateway: Gateway): Promise<Json> {
  const until = new Date(Date.now() - 72 * HOUR_MS).toISOString();
  const { body } = await managed(gateway, { call: `GET /receipts?status=failed&limit=1&until=${until}` });
  const [found] = asList(body.data);
  return asObject(found);
}

const rows = (page: Page) => page.locator("tbody tr:has(.row-link)");
const panel = (page: Page) => page.getByRole("complementary").last();

async function findComplaint({ visitor, page, gateway }: Visit): Promise<void> {
  const { user, created_at, ended_at, error } = await oldFailure(gateway);
  const [at, message] = [Date.parse(String(ended_at)), String(asObject(error).message)];
  await visitor.go("Requests");
  await visitor.click(page.getByRole("button", { name: "Filter", exact: true }));
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("User", { exact: true }).fill(String(user));
  for (const [nth, moment] of [at - HOUR_MS, at + HOUR_MS].entries()) {
    const [day = "", time = ""] = new Date(moment).toISOString().split("T");
    await dialog.getByLabel(nth === 0 ? "From" : "Until", { exact: true }).fill(day);
    await dialog.getByLabel(nth === 0 ? "at" : "before", { exact: true }).fill(time.slice(0, 5));
  }
  await visitor.click(dialog.getByRole("button", { name: "Show requests" }));
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("searchbox", { name: "Search requests" }).fill(message.slice(4, 30));
  const wanted = rows(page).filter({ hasText: String(created_at).slice(11, 19) });
  await wanted.getByText(/^Failed/).waitFor();
  await visitor.click(wanted.locator("td").nth(2));
  await panel(page).getByText(message).first().waitFor();
}

async function findById({ visitor, page, logged }: Visit): Promise<void> {
  await visitor.say(logged, "Request");
  await page.getByText("1 request found").waitFor();
  await visitor.click(rows(page).first().locator("td").nth(2));
  await panel(page).getByRole("heading", { name: "model through Mock" }).waitFor();
}

async function raiseRefused({ visitor, page, gateway }: Visit): Promise<void> {
  const notice = page.getByRole("listitem").filter({ hasText: "has reached its limit" }).first();
  await visitor.click(notice.getByRole("link", { name: "Raise the limit" }));
  await page.getByLabel("Limit", { exact: true }).fill("25");
  await visitor.click(page.getByRole("button", { name: "Save changes" }));
  await page.getByText("The key was saved.").first().waitFor();
  const hash = new URL(page.url()).searchParams.get("key");
  const { body } = await managed(gateway, { call: `GET /keys/${hash}` });
  assert.equal(asObject(body.data).limit, 25);
}

async function disableUnused({ visitor, page }: Visit): Promise<void> {
  await visitor.say("unused keys", "Keys unused for 30 days");
  await page.getByText(/^Keys 1 to /).waitFor();
  await visitor.click(page.getByRole("checkbox", { name: "Select all on this page" }));
  await visitor.click(page.getByRole("button", { name: "Disable", exact: true }));
  const confirm = page.getByRole("dialog").getByRole("button", { name: /^Disable \d+ keys?$/ });
  const count = Number(/\d+/.exec(await confirm.textContent() ?? ""));
  await visitor.click(confirm);
  await page.getByText(`${count} keys disabled`).waitFor();
}

async function exportYesterday({ visitor, page }: Visit): Promise<void> {
  await visitor.click(page.getByRole("button", { name: "Between …" }));
  const day = new Date(Date.now() - 24 * HOUR_MS).toISOString().slice(0, 10);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("First day").fill(day);
  await dialog.getByLabel("Last day").fill(day);
  await visitor.click(dialog.getByRole("button", { name: "Show" }));
  await visitor.click(page.getByText("Export", { exact: true }));
  const downloaded = page.waitForEvent("download");
  await visitor.click(page.getByRole("button", { name: "Sums, CSV" }));
  const text = await Deno.readTextFile(await (await downloaded).path());
  const [head = "", ...lines] = text.trimEnd().split("\r\n");
  const columns = head.split(",");
  assert.deepEqual(columns.slice(0, 4), ["model", "api_key_id", "api_key_name", "total_usage"]);
  assert.equal(lines[0]?.split(",")[2], "One of many");
  const spent = lines.map((line) => Number(line.split(",")[3]));
  assert(spent.length > 1 && (spent[0] ?? 0) > 0);
  assert.deepEqual(spent, spent.toSorted((a, b) => b - a), "who spent most stands first");
}

async function readWhy({ visitor, page }: Visit): Promise<void> {
  await visitor.go("Requests");
  await visitor.click(rows(page).filter({ hasText: "Mock" }).first().locator("td").nth(2));
  await panel(page).getByRole("heading", { name: "Why Mock" }).waitFor();
  await panel(page).getByText("1 of 1 that may serve.").waitFor();
}

async function seeProvider({ visitor, page }: Visit): Promise<void> {
  await visitor.go("Models and providers");
  await visitor.click(page.getByRole("link", { name: "Providers", exact: true }));
  await page.getByRole("row").filter({ hasText: "Mock" }).getByText("Well").waitFor();
}

async function fetchFile({ visitor, page }: Visit): Promise<void> {
  await visitor.go("Files");
  const downloaded = page.waitForEvent("download");
  await visitor.click(page.getByRole("link", { name: "Download report.csv" }).first());
  assert.equal(await Deno.readTextFile(await (await downloaded).path()), "vendor,usd\n");
}

const questions = [
  ["the request a colleague complains about, by user, time and error text", findComplaint],
  ["a request by an id from a client's log", findById],
  ["which keys are refused now, and raise one", raiseRefused],
  ["which keys nobody used for 30 days, and disable them", disableUnused],
  ["who spent most yesterday on which model, as CSV", exportYesterday],
  ["why a request went to this provider", readWhy],
  ["whether a provider is up", seeProvider],
  ["the file that a tool just made", fetchFile],
] as const;

/** Fills the store as the bench does, once where its folder is kept. */
async function fillStore(folder: string): Promise<void> {
  const data = `${folder}/data`;
  await runScript("fill_keys.ts", [data, KEYS, FILL_SECONDS]);
  await runScript("fill_receipts.ts", [data, RECEIPTS, KEYS, FILL_SECONDS]);
}

async function openFilled(folder: string) {
  if (STORE === undefined || !(await exists(`${folder}/data`))) await fillStore(folder);
  const clock = tickingClock();
  const log = createLogger({ level: "error", format: "json", now: clock.now, write: console.error });
  return await openEmbedded(`${folder}/data`, {
    runtime: { ...createRuntime(log), clock },
    deadlineMs: 60_000,
  });
}

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

/** Makes what happened lately; returns the id of a response that a client has logged. */
async function recently(gateway: Gateway): Promise<string> {
  await makeToolFile(gateway, new TextEncoder().encode("vendor,usd\n"), { filename: "report.csv" });
  const answer = await ask(gateway, { model: "mock/model", input: "Hi" });
  const { id } = asObject(await answer.json());
  for (const name of ["refused-desk", "refused-lab"]) await createKey(gateway, { name, limit: 0 });
  return String(id);
}

browserStory({ name: "eight questions are answered, each with four clicks at most" }, async (story) => {
  await buildConsole();
  const folder = STORE ?? await Deno.makeTempDir();
  try {
    const store = await openFilled(folder);
    await using upstream = scripted(says("responses", "Hello from a model that costs something."));
    const env = { TOLLGATE_API_KEY: API_KEY, TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY };
    await using gateway = await startGateway({ ...pricedModel(upstream), env, store });
    const { page, context } = story;
    await signIn(context, { gateway, key: MANAGEMENT_KEY });
    const logged = await recently(gateway);
    for (const [name, answer] of questions) {
      await page.goto(`${gateway.url}/console`);
      await page.getByRole("heading", { name: "Top keys" }).waitFor();
      const visitor = new Visitor(page);
      const from = performance.now();
      await answer({ visitor, page, gateway, logged });
      const seconds = (performance.now() - from) / 1_000;
      console.log(`${name}: ${visitor.clicks} clicks, ${seconds.toFixed(1)} s`);
      assert(visitor.clicks <= MOST_CLICKS, `${name} took ${visitor.clicks} clicks`);
    }
    await page.goto("about:blank");
  } finally {
    if (STORE === undefined) await Deno.remove(folder, { recursive: true });
  }
});
