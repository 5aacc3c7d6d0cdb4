/** Stories of managers with files. */

import assert from "node:assert/strict";
import { makeToolFile } from "../support/folder_gateway.ts";
import { pdfOf } from "../support/pdf.ts";
import { randomBytes } from "../support/random_bytes.ts";
import { consoleStory } from "./support/console_story.ts";

consoleStory(
  { name: "a file is downloaded, byte for byte", session: "manager" },
  async ({ page, gateway, open }) => {
    const content = randomBytes(3 * 1024 * 1024 + 7);
    await makeToolFile(gateway, content, { filename: "scans-november.zip" });
    await open("/files");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download scans-november.zip" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "scans-november.zip");
    assert.deepEqual(await Deno.readFile(await download.path()), content);
  },
);

consoleStory(
  { name: "a file is uploaded, found in the list, and deleted", session: "manager" },
  async ({ page, open }) => {
    await open("/files");
    await page.getByText("No file yet").waitFor();
    const buffer = new TextEncoder().encode("a,b\n1,2\n");
    await page.locator("input[type=file]").setInputFiles({
      name: "table.csv",
      mimeType: "text/csv",
      // deno-lint-ignore no-node-globals -- the driver takes nothing else
      buffer: Buffer.from(buffer),
    });
    await page.getByText("table.csv was uploaded to Default.").waitFor();
    await page.getByRole("button", { name: "table.csv" }).click();
    await page.getByText("Only files that the server made can be downloaded").waitFor();
    await page.getByRole("button", { name: "Delete file …" }).click();
    await page.getByRole("button", { name: "Delete table.csv" }).click();
    await page.getByText("table.csv was deleted.").waitFor();
    await page.getByText("No file yet").waitFor();
  },
);

consoleStory(
  { name: "a page in a file is shown as text and runs nothing", session: "manager" },
  async ({ page, gateway, open }) => {
    const html = "<script>document.title = 'taken over'</script><b>bold</b>";
    await makeToolFile(gateway, new TextEncoder().encode(html), {
      filename: "<img src=x onerror=alert(1)>.html",
    });
    await open("/files");
    await page.getByRole("button", { name: "<img src=x onerror=alert(1)>.html" }).click();
    await page.getByText("document.title = 'taken over'").waitFor();
    assert.equal(await page.title(), "Files · Tollgate");
  },
);

consoleStory(
  { name: "a PDF is shown as text", session: "manager", readsDocuments: true },
  async ({ page, gateway, open }) => {
    await makeToolFile(gateway, pdfOf({ pages: ["The first page", "The second page"] }), {
      filename: "report.pdf",
    });
    await open("/files");
    await page.getByRole("button", { name: "report.pdf" }).click();
    await page.getByText("The first page").waitFor();
    await page.getByText("The second page").waitFor();
  },
);

consoleStory(
  { name: "a PDF that cannot be read says why", session: "manager", readsDocuments: true },
  async ({ page, gateway, open, watch }) => {
    watch.expect(/400 \(Bad Request\)/);
    await makeToolFile(gateway, pdfOf({ pages: ["secret"], encrypted: true }), { filename: "locked.pdf" });
    await open("/files");
    await page.getByRole("button", { name: "locked.pdf" }).click();
    await page.getByText("encrypted with a password").waitFor();
  },
);
