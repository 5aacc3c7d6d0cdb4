/** Stories of the playground with an upstream of their own. */

import type { Page } from "playwright-core";
import { mockModel, providerAt } from "../../support/gateway.ts";
import { type Script, type Scripted, scripted } from "../../support/scripted.ts";
import { type ConsoleStory, consoleStory, type ConsoleStoryOptions } from "./console_story.ts";
import { type HeldStream, heldStream } from "./playground_upstream.ts";

export const message = (page: Page) => page.getByLabel("Message", { exact: true });
export const answers = (page: Page) => page.getByRole("article", { name: /^Answer of/ });

export async function send(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

interface StoryOptions extends Omit<ConsoleStoryOptions, "gateway"> {
  readonly script: Script;
  /** `mock/model` at a price unless others are given. */
  readonly models?: readonly Readonly<Record<string, unknown>>[];
  readonly providerName?: string;
}

const priced = { ...mockModel, pricing: { prompt: "0.001", completion: "0.002" } };

/** Registers a story whose provider answers by a script. */
export function scriptedStory(
  { script, models = [priced], providerName: name = "Mock", ...options }: StoryOptions,
  run: (story: ConsoleStory & { readonly upstream: Scripted }) => Promise<void>,
): void {
  const upstream = scripted(script);
  Deno.test.afterAll(() => upstream.close());
  const gateway = { providers: [providerAt(upstream.baseUrl, { models, name })] };
  consoleStory({ ...options, gateway }, (story) => run({ ...story, upstream }));
}

/** The same for an answer that goes on as the story says. */
export function heldStory(
  options: Omit<StoryOptions, "script">,
  run: (story: ConsoleStory & { readonly held: HeldStream }) => Promise<void>,
): void {
  const held = heldStream();
  scriptedStory({ ...options, script: held.script }, (story) => run({ ...story, held }));
}

/** Types a model's id into a field that offers it. */
export async function chooseModel(
  page: Page,
  { id, label = "Model" }: { readonly id: string; readonly label?: "Model" | "Beside it" },
): Promise<void> {
  await page.locator(`datalist option[value="${id}"]`).first().waitFor({ state: "attached" });
  await page.getByLabel(label, { exact: true }).fill(id);
}
