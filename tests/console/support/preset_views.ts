/** Views of presets. */

import type { Page } from "playwright-core";
import { managed } from "../../support/manage.ts";
import type { ConsoleStory } from "./console_story.ts";
import type { PageView } from "./page_views.ts";

/** As long as a slug may be. */
const longSlug = "preset-".repeat(9) + "x";

const listed = (page: Page) => page.getByText("2 presets", { exact: true }).waitFor();

export const presetViews: readonly PageView[] = [
  { name: "presets", session: "manager", path: "/presets", show: listed },
  {
    name: "preset-panel",
    session: "manager",
    path: "/presets",
    show: async (page) => {
      await listed(page);
      await page.locator("tbody .row-link").first().click();
      await page.getByRole("heading", { name: "Version 2", level: 3 }).waitFor();
      await page.getByLabel("Description").fill(
        "Answers for customers, in one paragraph, without a greeting",
      );
    },
  },
];

/** A preset with a short name, and one with the longest that there can be, in two versions. */
export async function fillPresets(gateway: ConsoleStory["gateway"]): Promise<void> {
  const save = (slug: string, body: object) =>
    managed(gateway, { call: `POST /presets/${slug}/chat/completions`, body });
  await save("support", { model: "mock/model", temperature: 0.2 });
  const long = { model: "mock/model", stop: ["END"], tools: [{ type: "service:web_search" }] };
  await save(longSlug, long);
  const content = "Answer in one paragraph. ".repeat(20) + "W".repeat(100);
  await save(longSlug, { ...long, temperature: 0.7, messages: [{ role: "system", content }] });
  const name = "Answers for customers of the Northern region, first line of support and nights";
  const description = "W".repeat(200);
  await managed(gateway, { call: `PATCH /presets/${longSlug}`, body: { name, description } });
}
