/** Views of the playground. */

import type { Page } from "playwright-core";
import type { PageView } from "./page_views.ts";
import { answers, chooseModel, send } from "./playground_story.ts";

async function answered(page: Page): Promise<void> {
  await page.getByLabel("Model", { exact: true }).waitFor();
  await page.getByText("Providers and instructions").click();
  await page.getByText("More parameters").click();
  await send(page, "# Hi\n\nWrite to ada@example.com");
  await answers(page).first().getByText("Completed").waitFor();
}

export const playgroundViews: readonly PageView[] = [
  {
    name: "playground",
    session: "manager",
    path: "/playground",
    show: (page) => page.getByText("Console playground, today").waitFor(),
  },
  { name: "playground-run", session: "manager", path: "/playground", show: answered },
  {
    name: "playground-two",
    session: "manager",
    path: "/playground?mode=compare",
    show: async (page) => {
      await chooseModel(page, { id: "mock/model", label: "Beside it" });
      await answered(page);
      await answers(page).nth(1).getByText("Completed").waitFor();
    },
  },
  {
    name: "playground-read-only",
    session: "reader",
    path: "/playground?mode=speech",
    show: (page) => page.getByRole("heading", { name: "No model speaks here" }).waitFor(),
  },
  {
    name: "playground-copies",
    session: "key holder",
    path: "/playground",
    show: async (page) => {
      await page.getByText("First API key, in all").waitFor();
      await page.getByRole("button", { name: "Copy as" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "TypeScript" }).click();
    },
  },
];
