/** Playground: answers as they come, their steps and costs, and what is done with them. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { scripted } from "../support/scripted.ts";
import { type ConsoleStory, consoleStory, pricedModel } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";
import { ANSWER, clocks, SOURCE } from "./support/playground_upstream.ts";

const message = (page: Page) => page.getByLabel("Message", { exact: true });
const answers = (page: Page) => page.getByRole("article", { name: /^Answer of/ });

async function send(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

/** A story of an upstream of its own. */
function story(
  options: Omit<Parameters<typeof consoleStory>[0], "gateway">,
  upstream: ReturnType<typeof scripted>,
  run: (story: ConsoleStory) => Promise<void>,
): void {
  consoleStory({ ...options, gateway: pricedModel(upstream) }, run);
}

const clockwork = scripted(clocks);
Deno.test.afterAll(() => clockwork.close());

story(
  {
    name: "an answer comes with reasoning, two tool steps with input and output, a source and its cost",
    session: "manager",
  },
  clockwork,
  async ({ page, open, gateway }) => {
    await open("/playground");
    await page.getByRole("switch", { name: "Date and time" }).check();
    await send(page, "How far apart are Rome and Lima?");
    const answer = answers(page).first();
    await answer.getByText("Completed").waitFor();
    await answer.getByText("Rome is six hours ahead of Lima").waitFor();
    assert.equal(await answer.getByRole("listitem").filter({ hasText: "evening" }).count(), 1);
    await answer.getByRole("cell", { name: "Lima" }).waitFor();
    await answer.getByText("const hours = 6;").waitFor();
    await answer.getByText("Reasoning").click();
    await answer.getByText("Both clocks have to be read").waitFor();
    const steps = answer.locator("details.step");
    assert.equal(await steps.count(), 3);
    await steps.nth(1).locator("summary").click();
    await steps.nth(1).getByRole("region", { name: "Input" }).getByText("Europe/Rome").waitFor();
    await steps.nth(1).getByRole("region", { name: "Output" }).getByText("datetime").waitFor();
    const source = answer.getByRole("link", { name: "Clocks of the world" });
    assert.deepEqual(
      [
        await source.getAttribute("href"),
        await source.getAttribute("rel"),
        await source.getAttribute("target"),
      ],
      [SOURCE, "noopener noreferrer", "_blank"],
    );
    await answer.getByText("clocks.example/rome-and-lima").waitFor();
    await answer.getByRole("link", { name: "Source 1" }).waitFor();
    await answer.getByText(/\$0\.\d{4}/).waitFor();
    await screenshots(page, "playground-answer");
    await page.reload();
    await answers(page).first().getByText("Rome is six hours ahead of Lima").waitFor();
    await answers(page).first().getByRole("link", { name: "Receipt" }).click();
    await page.getByRole("complementary").getByText("Console playground").first().waitFor();
    assert.equal(ANSWER.length > 0 && gateway.logged.length > 0, true);
  },
);
