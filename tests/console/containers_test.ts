/** Stories of managers with containers on the Files page. */

import assert from "node:assert/strict";
import { bashIn } from "../support/containers.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";

const options = {
  session: "manager",
  readsDocuments: true,
  gateway: { env: { TOLLGATE_LOCAL: "on" } },
} as const;

async function openContainer({ page, gateway, open }: ConsoleStory): Promise<string> {
  const command = "mkdir plots; printf 0123456789 > plots/data.bin; echo notes > notes.txt";
  const { containerId, status, error } = await bashIn(gateway, { args: { command }, session: "report" });
  assert.equal(status, "completed", error);
  await open("/files");
  await page.getByRole("button", { name: "Containers" }).click();
  await page.getByRole("button", { name: containerId }).click();
  await page.getByText("plots/data.bin", { exact: true }).waitFor();
  return containerId;
}

consoleStory({ name: "a container's file is downloaded, byte for byte", ...options }, async (story) => {
  await openContainer(story);
  const [download] = await Promise.all([
    story.page.waitForEvent("download"),
    story.page.getByRole("link", { name: "Download plots/data.bin" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "data.bin");
  assert.equal(await Deno.readTextFile(await download.path()), "0123456789");
});

consoleStory({ name: "a container's file is kept, and another one deleted", ...options }, async (story) => {
  const { page } = story;
  await openContainer(story);
  await page.getByRole("button", { name: "Keep notes.txt in the workspace's files" }).click();
  await page.getByText("notes.txt is now one of the workspace's files.").waitFor();
  await page.getByRole("button", { name: "Delete plots/data.bin" }).click();
  await page.getByText("plots/data.bin was deleted.").waitFor();
  assert.equal(await page.getByText("plots/data.bin", { exact: true }).count(), 0);
  await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Files" }).click();
  await page.getByRole("link", { name: "Download notes.txt" }).waitFor();
});

consoleStory({ name: "a container's panel says what ran last in it", ...options }, async (story) => {
  const { page, gateway } = story;
  await openContainer(story);
  const last = page.getByRole("region", { name: "Last command", exact: true });
  await last.getByText("printf 0123456789 > plots/data.bin", { exact: false }).waitFor();
  await last.getByText("Status 0", { exact: true }).waitFor();
  await bashIn(gateway, { args: { command: "echo out; grep nothing notes.txt" }, session: "report" });
  await page.reload();
  await last.getByText("echo out; grep nothing notes.txt", { exact: true }).waitFor();
  await last.getByText("Status 1", { exact: true }).waitFor();
  assert.match(await last.innerText(), /Started\s+\d+ \w+ \d{4}, \d\d:\d\d UTC\s+Took\s+[\d.]+ m?s/);
});

consoleStory({ name: "a container is deleted", ...options }, async (story) => {
  const { page } = story;
  await openContainer(story);
  await page.getByRole("button", { name: "Delete container …" }).click();
  await page.getByRole("button", { name: "Delete container", exact: true }).click();
  await page.getByText("The container was deleted.").waitFor();
  await page.getByText("No container yet").waitFor();
});

consoleStory({
  name: "the health dialog names the engine of containers",
  ...options,
  gateway: { env: { TOLLGATE_LOCAL: "on", TOLLGATE_SANDBOX: "virtual" } },
}, async ({ page, open }) => {
  await open("/files");
  await page.getByRole("button", { name: /Show health$/ }).click();
  await page.getByRole("dialog").getByText("Well · virtual").waitFor();
});
