/** Views of the page of models and providers. */

import type { Page } from "playwright-core";
import type { PageView } from "./page_views.ts";

const modelsListed = (page: Page) => page.getByText(/^Models 1 to /).waitFor();

export const modelViews: readonly PageView[] = [
  { name: "models", session: "manager", path: "/models", show: modelsListed },
  {
    name: "models-none",
    session: "manager",
    path: "/models?q=nobody&takes=video&price=free",
    show: (page) => page.getByText("No model found").waitFor(),
  },
  {
    name: "model-panel",
    session: "reader",
    path: "/models?model=mock%2Fmodel",
    show: async (page) => {
      await modelsListed(page);
      await page.getByRole("list", { name: "Who may use it" }).getByText("Research").waitFor();
      await page.getByText("All endpoints").last().waitFor();
    },
  },
  {
    name: "model-gone",
    session: "manager",
    path: "/models?model=nobody%2Fhas-this",
    show: (page) => page.getByText("This model is not here").first().waitFor(),
  },
  {
    name: "model-providers",
    session: "manager",
    path: "/models?view=providers",
    show: (page) => page.getByRole("button", { name: "Test Mock" }).waitFor(),
  },
  {
    name: "model-provider-test",
    session: "manager",
    path: "/models?view=providers&test=mock",
    show: async (page) => {
      await page.getByRole("dialog").getByRole("button", { name: "Test", exact: true }).click();
      await page.getByText("mock/model answered").waitFor();
    },
  },
  {
    name: "model-route",
    session: "manager",
    path: "/models?view=route",
    show: async (page) => {
      await page.getByLabel("Model", { exact: true }).fill("mock/model");
      await page.getByRole("button", { name: "Explain", exact: true }).click();
      await page.getByText("Asked first").waitFor();
    },
  },
  {
    name: "models-compared",
    session: "manager",
    path: "/models?open=compare&compare=mock%2Fmodel",
    show: (page) => page.getByRole("dialog").getByRole("row", { name: /^Input/ }).waitFor(),
  },
];
