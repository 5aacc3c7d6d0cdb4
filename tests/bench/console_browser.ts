/**
 * `console_browser.ts <job as JSON>`: opens a gateway's console in Chromium, does what managers do, and prints how
 * long each took as JSON. Pages take their own times, so that what drives the browser is not in them.
 */

import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../console/support/chromium.ts";
import { patiently } from "../support/until.ts";
import { type ConsoleFigures, type ConsoleJob, consoleJob } from "./job.ts";

/** Sees that a page has its figures: nothing in it stands in for what is still being read. */
const isUsable = `document.querySelector("main :is(.stat-value, tbody .row-link)") !== null &&
  document.querySelector('main [class^="bone"]') === null`;

/** Runs in every page before its own scripts: `usable` is when it was usable, in ms since navigation began. */
const watchUsable = `globalThis.usable = new Promise((resolve) => {
  const look = () => {
    if (!(${isUsable})) return;
    observer.disconnect();
    requestAnimationFrame(() => resolve(performance.now()));
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, attributes: true });
})`;

const firstRow = `document.querySelector("tbody .row-link")?.textContent`;

/** `changed` is the milliseconds from the next press of a key until the list begins with another row, drawn. */
const watchRows = `globalThis.changed = new Promise((resolve) => {
  const before = ${firstRow};
  let from;
  addEventListener("keydown", ({ timeStamp }) => from = timeStamp, { capture: true, once: true });
  const look = () => {
    const now = ${firstRow};
    if (from === undefined || now === undefined || now === before) return;
    observer.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - from));
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, characterData: true });
}), undefined`;

/** Number of requests of the page to the gateway's API since its navigation. */
const apiRequests = `performance.getEntriesByType("resource")
  .filter(({ name }) => new URL(name).pathname.startsWith("/console/api/")).length`;

interface Act {
  readonly name: string;
  /** Below `/console`. */
  readonly path: string;

  /** Brings the focus to where the key is pressed. */
  readonly focus: (page: Page) => Promise<void>;
  readonly key: string;
}

const search = (page: Page) => page.getByRole("searchbox", { name: "Search keys" }).focus();

const acts: readonly Act[] = [
  { name: "keys: search that finds a few", path: "/keys", focus: search, key: "r" },
  { name: "keys: search that finds all", path: "/keys", focus: search, key: "o" },
  {
    name: "keys: sort by name",
    path: "/keys",
    focus: (page) => page.locator("thead").getByRole("button", { name: "Key", exact: true }).focus(),
    key: "Enter",
  },
  {
    name: "keys: next page",
    path: "/keys",
    focus: (page) => page.getByRole("button", { name: "Next", exact: true }).focus(),
    key: "Enter",
  },
  {
    name: "requests: filter by state",
    path: "/requests?range=30d",
    focus: (page) => page.getByLabel("State", { exact: true }).focus(),
    key: "f",
  },
  {
    name: "requests: next page",
    path: "/requests?range=30d",
    focus: (page) => page.getByRole("button", { name: "Next", exact: true }).focus(),
    key: "Enter",
  },
];

class Measurement {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #figures: Record<string, { ms: number[]; requests: number[] }> = {};

  constructor(browser: Browser, { port }: Pick<ConsoleJob, "port">) {
    this.#browser = browser;
    this.#url = `http://127.0.0.1:${port}/console`;
  }

  /** By what was done. */
  get figures(): Readonly<Record<string, ConsoleFigures>> {
    return this.#figures;
  }

  /** A new profile each time: nothing of the console is in its cache. */
  async round(key: string): Promise<void> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.addInitScript(watchUsable);
    const answer = await context.request.post(`${this.#url}/session`, {
      data: { key },
      headers: { origin: new URL(this.#url).origin },
    });
    if (!answer.ok()) throw new Error(`Cannot sign in: the answer was ${answer.status()}`);
    const page = await context.newPage();
    for (const name of ["overview, cold", "overview, warm"]) {
      this.#add(name, { ms: await this.#open(page, ""), requests: await page.evaluate(apiRequests) });
    }
    for (const name of ["requests, cold", "requests, warm"]) {
      const ms = await this.#open(page, "/requests?range=30d");
      this.#add(name, { ms, requests: await page.evaluate(apiRequests) });
    }
    for (const act of acts) {
      await this.#open(page, act.path);
      const before = await page.evaluate<number>(apiRequests);
      const ms = await this.#act(page, act);
      this.#add(act.name, { ms, requests: await page.evaluate<number>(apiRequests) - before });
    }
    await context.close();
  }

  /** Milliseconds from the beginning of the navigation until the page is usable. */
  async #open(page: Page, path: string): Promise<number> {
    await page.goto(`${this.#url}${path}`, { waitUntil: "commit" });
    return await patiently(page.evaluate<number>("usable"), `the page /console${path}`);
  }

  async #act(page: Page, { name, focus, key }: Act): Promise<number> {
    await focus(page);
    await page.evaluate(watchRows);
    await page.keyboard.press(key);
    return await patiently(page.evaluate<number>("changed"), `what "${name}" changes`);
  }

  #add(name: string, { ms, requests }: { readonly ms: number; readonly requests: number }): void {
    const figures = this.#figures[name] ??= { ms: [], requests: [] };
    figures.ms.push(ms);
    figures.requests.push(requests);
  }
}

if (import.meta.main) {
  const job = consoleJob.parse(JSON.parse(Deno.args[0] ?? ""));
  const browser = await launchChromium();
  try {
    const measurement = new Measurement(browser, job);
    for (let round = 0; round < job.repetitions; round++) await measurement.round(job.managementKey);
    console.log(JSON.stringify(measurement.figures));
  } finally {
    await browser.close();
  }
}
