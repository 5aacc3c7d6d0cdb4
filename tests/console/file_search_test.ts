/** Stories of managers who look for a file by its name, over all workspaces. */

import assert from "node:assert/strict";
import { makeToolFile } from "../support/folder_gateway.ts";
import { managed } from "../support/manage.ts";
import { consoleStory } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

consoleStory(
  {
    name: "a file is found by its name, whatever the workspace, and its place stands in the address",
    session: "manager",
  },
  async ({ page, gateway, open }) => {
    const lab = { name: "Lab", slug: "lab" };
    const { body } = await managed(gateway, { call: "POST /workspaces", body: lab });
    const { id } = Object(body.data);
    for (let at = 0; at < 21; at++) {
      await makeToolFile(gateway, bytes("a"), { filename: `scan-${String(at).padStart(2, "0")}.csv` });
    }
    await makeToolFile(gateway, bytes("of the lab"), { filename: "=cmd() Report <b>.csv", workspaceId: id });
    await open("/files");
    await page.getByText("Files 1 to 20, newest first").waitFor();
    await page.getByRole("row", { name: /Report/ }).getByText("Lab").waitFor();
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByText("Files 21 to 22, newest first").waitFor();
    await page.reload();
    await page.getByText("Files 21 to 22, newest first").waitFor();
    assert.match(page.url(), /cursor=/);
    await page.keyboard.press("/");
    await page.keyboard.type("REPORT csv");
    await page.getByText("Files 1 to 1, newest first").waitFor();
    assert(!page.url().includes("cursor="));
    await page.getByRole("button", { name: "=cmd() Report <b>.csv" }).click();
    const panel = page.getByRole("complementary").filter({ has: page.getByRole("heading") });
    await panel.getByText("of the lab").waitFor();
    await panel.getByText("Lab", { exact: true }).waitFor();
    await screenshots(page, "files-search");
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").fill("nobody");
    await page.getByText("No file has “nobody” in its name.").waitFor();
    await page.getByRole("button", { name: "Show all files" }).click();
    await page.getByLabel("Workspace", { exact: true }).last().selectOption("Lab");
    await page.getByText("Files 1 to 1, newest first").waitFor();
    await page.getByRole("button", { name: "Containers" }).click();
    await page.getByText("No container").first().waitFor();
    await page.getByRole("button", { name: "Files", exact: true }).click();
    await page.getByText("Files 1 to 1, newest first").waitFor();
  },
);

consoleStory(
  { name: "the page of containers stands in the address", session: "manager" },
  async ({ page, gateway, open }) => {
    const { body: { data } } = await managed(gateway, { call: "GET /workspaces/default" });
    for (let at = 0; at < 22; at++) {
      await gateway.containers.open({
        ...{ workspaceId: Object(data).id, sessionId: `s${String(at).padStart(2, "0")}`, generation: "gen" },
        ...{ containerId: undefined, fileIds: [], network: undefined, sleepAfterSeconds: undefined },
      });
    }
    await open("/files?view=containers");
    await page.getByText(/^Containers 1 to 20/).waitFor();
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByText(/^Containers 21 to 22/).waitFor();
    await page.reload();
    await page.getByText(/^Containers 21 to 22/).waitFor();
    await page.getByRole("button", { name: "Files", exact: true }).click();
    await page.getByText("No file yet").waitFor();
    assert(!page.url().includes("cursor="));
  },
);
