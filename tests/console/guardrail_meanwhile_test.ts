/** A guardrail's form that is open while the connection is lost, or while somebody else changes the guardrail. */

import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { managed } from "../support/manage.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";

type Gateway = ConsoleStory["gateway"];
type Fields = Readonly<Record<string, unknown>>;

async function createGuardrail(gateway: Gateway): Promise<string> {
  const body = { name: "Desk", workspace_id: null };
  return String(Object((await managed(gateway, { call: "POST /guardrails", body })).body.data).id);
}

async function readGuardrail(gateway: Gateway, id: string): Promise<Fields> {
  return Object((await managed(gateway, { call: `GET /guardrails/${id}` })).body.data);
}

const words = (page: Page) => page.getByLabel("Words", { exact: true });
const lost = (page: Page) => page.getByText(/No connection to the gateway since/);
const save = (page: Page) => page.getByRole("button", { name: "Save changes" }).click();

async function saved(page: Page): Promise<void> {
  await save(page);
  await page.getByText("The guardrail was saved.").first().waitFor();
}

/** Cuts the connection, runs, and waits until the page has it again. */
async function withoutConnection(
  { page, context, watch }: Pick<ConsoleStory, "page" | "context" | "watch">,
  run: () => Promise<void>,
): Promise<void> {
  watch.expect(/ERR_INTERNET_DISCONNECTED/);
  await context.setOffline(true);
  await save(page);
  await lost(page).waitFor();
  await run();
  await context.setOffline(false);
  await page.getByRole("button", { name: "Try now" }).click();
  await lost(page).waitFor({ state: "detached" });
}

/** Throws where a part of the page is not within the window. */
async function assertInWindow(page: Page, part: Locator): Promise<void> {
  const [box, size] = [await part.boundingBox(), page.viewportSize()];
  assert.ok(box && size);
  const isWithin = box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width + 1 &&
    box.y + box.height <= size.height + 1;
  assert.ok(isWithin, JSON.stringify(box));
}

for (const width of [1280, 900] as const) {
  consoleStory(
    {
      name: `a form keeps what is typed while the connection is lost, ${width} wide`,
      session: "manager",
      width,
    },
    async ({ page, context, gateway, open, watch }) => {
      const id = await createGuardrail(gateway);
      await open(`/guardrails?open=${id}&view=filters`);
      await words(page).fill("falcon");
      await withoutConnection({ page, context, watch }, async () => {
        const refusal = page.getByRole("alert").filter({ hasText: "The guardrail was not saved" });
        await refusal.waitFor();
        await assertInWindow(page, refusal);
        await assertInWindow(page, page.locator(".panel"));
        await assertInWindow(page, page.locator(".banner"));
        await assertInWindow(page, page.getByRole("button", { name: "Save changes" }));
        assert.equal(await page.evaluate("document.documentElement.scrollWidth > innerWidth"), false);
      });
      assert.equal(await words(page).inputValue(), "falcon");
      await saved(page);
      assert.deepEqual((await readGuardrail(gateway, id)).words, ["falcon"]);
    },
  );
}

consoleStory(
  {
    name: "a guardrail that somebody deletes while its form is open keeps what is typed",
    session: "manager",
  },
  async ({ page, context, gateway, open, watch }) => {
    const id = await createGuardrail(gateway);
    await open(`/guardrails?open=${id}&view=filters&idle=shown`);
    await words(page).fill("falcon");
    assert.equal((await managed(gateway, { call: `DELETE /guardrails/${id}` })).status, 200);
    watch.expect(/404/);
    const gone = page.getByRole("alert").filter({ hasText: "Somebody has deleted this guardrail" });
    await save(page);
    await gone.waitFor();
    await assertInWindow(page, gone);
    // The list is read anew, without it.
    await withoutConnection({ page, context, watch }, async () => {});
    await page.getByText("1 guardrail", { exact: true }).waitFor();
    await gone.waitFor();
    assert.equal(await words(page).inputValue(), "falcon");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("heading", { name: "Desk" }).waitFor({ state: "detached" });
  },
);

consoleStory(
  { name: "what somebody else saves while a form is open is not overwritten unseen", session: "manager" },
  async ({ page, context, gateway, open, watch }) => {
    const id = await createGuardrail(gateway);
    const change = async (body: Fields) => {
      assert.equal((await managed(gateway, { call: `PATCH /guardrails/${id}`, body })).status, 200);
    };
    await open(`/guardrails?open=${id}&view=filters`);
    await words(page).fill("falcon");
    await change({ words: ["eagle"], description: "Theirs" });
    // Reading it anew does not make the change one that was seen.
    await withoutConnection({ page, context, watch }, async () => {});
    watch.expect(/status of 400|409/);
    const refused = page.getByRole("alert").filter({ hasText: "was changed by somebody else" });
    await save(page);
    await refused.waitFor();
    await assertInWindow(page, refused);
    assert.deepEqual((await readGuardrail(gateway, id)).words, ["eagle"]);
    assert.equal(await words(page).inputValue(), "falcon");
    await refused.getByRole("button", { name: "Reload" }).click();
    await refused.waitFor({ state: "detached" });
    await saved(page);
    const { words: own, description } = await readGuardrail(gateway, id);
    assert.deepEqual([own, description], [["falcon"], "Theirs"]);
  },
);
