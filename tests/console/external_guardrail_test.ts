/** Stories of managers with the external service of a guardrail. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { managed } from "../support/manage.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";
import { untilInPage } from "./support/until_in_page.ts";

const settings = {
  file: { fetch: { header_env: ["GUARD_TOKEN"] } },
  env: { GUARD_TOKEN: "Bearer of-the-service" },
} as const;

type Gateway = ConsoleStory["gateway"];

async function createGuardrail(gateway: Gateway): Promise<string> {
  const body = { name: "Support desk", workspace_id: null };
  const made = await managed(gateway, { call: "POST /guardrails", body });
  return String(Object(made.body.data).id);
}

async function serviceOf(gateway: Gateway, id: string): Promise<unknown> {
  const { body } = await managed(gateway, { call: `GET /guardrails/${id}` });
  return Object(body.data).external;
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("The guardrail was saved.").last().waitFor();
  await page.getByRole("button", { name: "Save changes" }).waitFor({ state: "detached" });
}

const section = (page: Page) => page.getByRole("region", { name: "External service" });
const field = (page: Page, name: string) => section(page).getByLabel(name, { exact: true });
const choose = (page: Page, name: string) => section(page).getByText(name, { exact: true }).click();

/** Throws where two of the fields, labels, hints and buttons of the section cover each other, or one leaves it. */
async function assertApart(page: Page): Promise<void> {
  const parts = section(page).locator("h3, p, label, legend, .label, .hint, .input, button").filter({
    visible: true,
  });
  const around = await section(page).boundingBox();
  assert.ok(around);
  const boxes = await Promise.all((await parts.all()).map(async (part) => ({
    name: await part.textContent() || "a field",
    box: await part.boundingBox(),
  })));
  assert(boxes.length > 15, `The section has ${boxes.length} parts`);
  for (const [at, { name, box }] of boxes.entries()) {
    assert.ok(box);
    assert(box.x >= around.x - 1 && box.x + box.width <= around.x + around.width + 1, `${name} is too wide`);
    for (const other of boxes.slice(at + 1)) {
      assert.ok(other.box);
      const wide = Math.min(box.x + box.width, other.box.x + other.box.width) - Math.max(box.x, other.box.x);
      const high = Math.min(box.y + box.height, other.box.y + other.box.height) -
        Math.max(box.y, other.box.y);
      assert(wide <= 1 || high <= 1, `${name} and ${other.name} cover each other`);
    }
  }
}

for (const theme of ["light", "dark"] as const) {
  consoleStory(
    {
      name: `the service of a guardrail is set, reloaded, changed and removed, ${theme} and narrow`,
      session: "manager",
      gateway: settings,
      width: 360,
      theme,
    },
    async ({ page, gateway, open }) => {
      const id = await createGuardrail(gateway);
      await open(`/guardrails?open=${id}&view=filters`);
      await section(page).getByText("No service is asked.").waitFor();
      await section(page).getByRole("button", { name: "Add service" }).click();
      await untilInPage(page, "document.activeElement?.matches('[data-external] input')");
      await page.keyboard.type("https://guard.example/judge");
      await field(page, "Variable for authorization").fill("GUARD_TOKEN");
      await field(page, "Milliseconds for each call").fill("2,500");
      await choose(page, "Open");
      await field(page, "Tools").check();
      await assertApart(page);
      await save(page);
      const first = {
        type: "http",
        url: "https://guard.example/judge",
        header_env: "GUARD_TOKEN",
        timeout_ms: 2_500,
        fail: "open",
        on: ["input", "output", "tools"],
      };
      assert.deepEqual(await serviceOf(gateway, id), first);
      await page.reload();
      await field(page, "Address of the service").waitFor();
      assert.equal(await field(page, "Address of the service").inputValue(), first.url);
      assert.equal(await field(page, "Variable for authorization").inputValue(), "GUARD_TOKEN");
      assert.equal(await field(page, "Milliseconds for each call").inputValue(), "2500");
      for (const name of ["Open", "Input", "Output", "Tools"]) {
        assert.equal(await field(page, name).isChecked(), true, name);
      }
      await field(page, "Variable for authorization").fill("");
      await choose(page, "Closed");
      await field(page, "Output").uncheck();
      await save(page);
      const changed = { ...first, header_env: null, fail: "closed", on: ["input", "tools"] };
      assert.deepEqual(await serviceOf(gateway, id), changed);
      await section(page).getByRole("button", { name: "Remove service" }).click();
      await save(page);
      assert.equal(await serviceOf(gateway, id), null);
      await page.reload();
      await section(page).getByText("No service is asked.").waitFor();
    },
  );
}

consoleStory(
  { name: "what is wrong with a service stands at its field", session: "manager", gateway: settings },
  async ({ page, gateway, open, watch }) => {
    const id = await createGuardrail(gateway);
    await open(`/guardrails?open=${id}&view=filters`);
    await section(page).getByRole("button", { name: "Add service" }).click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await section(page).getByText(/^An address is needed/).waitFor();
    await field(page, "Address of the service").fill("https://guard.example/");
    await field(page, "Input").uncheck();
    await field(page, "Output").uncheck();
    await section(page).getByText("One at least has to be chosen.").waitFor();
    await field(page, "Input").check();
    await field(page, "Milliseconds for each call").fill("soon");
    await section(page).getByText(/^A whole number from 100/).waitFor();
    await field(page, "Milliseconds for each call").fill("5000");
    await field(page, "Variable for authorization").fill("OTHER_TOKEN");
    watch.expect(/^console error: .* 400 .*\/console\/api\/guardrails/);
    await page.getByRole("button", { name: "Save changes" }).click();
    await section(page).getByText(/is OTHER_TOKEN, which the setting fetch\.header_env/).waitFor();
    await untilInPage(page, "document.activeElement?.matches('[data-external] [aria-invalid]')");
    assert.equal(await serviceOf(gateway, id), null);
    await field(page, "Variable for authorization").fill("GUARD_TOKEN");
    await save(page);
    assert.equal(Object(await serviceOf(gateway, id)).header_env, "GUARD_TOKEN");
    await page.getByRole("navigation", { name: "Parts of the guardrail" }).getByText("Try a text").click();
    await page.getByLabel("Text", { exact: true }).fill("Hello");
    await page.getByRole("button", { name: "Try", exact: true }).click();
    await page.getByText("The external service was not asked.").waitFor();
  },
);
