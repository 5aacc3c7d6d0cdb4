/** Views of tag rules. */

import { managed } from "../../support/manage.ts";
import type { ConsoleStory } from "./console_story.ts";
import type { PageView } from "./page_views.ts";

export const tagViews: readonly PageView[] = [
  {
    name: "tags",
    session: "manager",
    path: "/tags",
    show: (page) => page.getByText("2 tag rules", { exact: true }).waitFor(),
  },
  {
    name: "tag-panel",
    session: "manager",
    path: "/tags",
    show: async (page) => {
      await page.locator("tbody .row-link").last().click();
      await page.getByRole("heading", { name: "Conditions", level: 3 }).waitFor();
      await page.getByLabel("Name", { exact: true }).fill("Dear requests of the Northern region");
    },
  },
];

/** A short rule, and one as long as there can be. */
export async function fillTags(gateway: ConsoleStory["gateway"]): Promise<void> {
  const save = (body: object) => managed(gateway, { call: "POST /observability/classifiers", body });
  const dear = { field: "total_cost", operator: "gte", value: 0.05 };
  await save({ name: "Dear requests", tag: "dear", conditions: [dear] });
  await save({
    name: "W".repeat(200),
    tag: "w".repeat(50),
    enabled: false,
    conditions: [dear, { field: "user_agent", operator: "contains", value: "W".repeat(500) }],
  });
}
