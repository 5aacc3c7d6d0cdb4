/**
 * A day in the life of `bash` and `code_interpreter` in one container, with wheels of Python's index: data, frames, a
 * plot, a report; the plot is downloaded from the console.
 */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { packagesFolder } from "../../server/sandbox/python/wheel_files.ts";
import { browserStory } from "../console/support/browser_story.ts";
import { buildConsole } from "../console/support/built_console.ts";
import { signIn } from "../console/support/console_story.ts";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { type ContainerRig, containerRig, interpret, logsOf, outputsOf } from "../support/containers.ts";
import { asList, asObject } from "../support/event_stream.ts";
import type { Json } from "../mocks/published.ts";
import { downloadWheels } from "../support/python_wheels.ts";

const DAY = { session: "day" } as const;
const PNG = "data:image/png;base64,iVBORw0KGgo";

async function analyse(rig: ContainerRig): Promise<void> {
  await rig.bash({
    command: "printf 'month,sales\\n' > s.csv; for i in 1 2 3; do echo $i,$((i * 10)); done >> s.csv",
  }, DAY);
  const analysed = await interpret(
    rig,
    "import pandas as pd\nsales = pd.read_csv('s.csv')\nsales.describe().loc[['mean']]",
  );
  assert.match(logsOf(analysed.item), /month +sales\nmean +2\.0 +20\.0\n/);
  const wide = await interpret(rig, "pd.DataFrame([range(60)])");
  assert.match(logsOf(wide.item), / 59 *\n/);
}

/** Returns the item of the call, with three pictures of which one has a name of its own. */
async function draw(rig: ContainerRig): Promise<Json> {
  const { item } = await interpret(
    rig,
    "import matplotlib.pyplot as plt\n" +
      "plt.plot(sales.month, sales.sales); plt.savefig('own.png', bbox_inches='tight'); plt.show()\n" +
      "plt.bar([1], [2]); plt.show()\nplt.figure(); plt.plot([3]);",
  );
  const pictures = outputsOf(item, "image");
  assert.equal(pictures.length, 3, JSON.stringify(item.outputs));
  assert(pictures.every(({ url }) => String(url).startsWith(PNG)));
  const names = asList(item.files).map((file) => String(asObject(file).filename));
  assert.deepEqual(names.sort(), ["own.png", "plot-1.png", "plot-2.png"]);
  return item;
}

async function report(rig: ContainerRig): Promise<void> {
  await interpret(
    rig,
    "import zipfile\nwith zipfile.ZipFile('report.zip', 'w') as z:\n    z.write('s.csv'); z.write('plot-1.png')",
  );
  const listed = await rig.bash({ command: "python3 -m zipfile -l report.zip | awk '{print $1}'" }, DAY);
  assert.equal(listed.stdout, "File\ns.csv\nplot-1.png\n");
}

/** The bytes that a manager gets on the Files page. */
async function downloaded(
  page: Page,
  { url, containerId }: { readonly url: string; readonly containerId: string },
) {
  await page.goto(`${url}/console/files`);
  await page.getByRole("button", { name: "Containers" }).click();
  await page.getByRole("button", { name: containerId }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download plot-1.png" }).click(),
  ]);
  return await Deno.readFile(await download.path());
}

async function liveThrough(
  rig: ContainerRig,
  { page, context }: { readonly page: Page; readonly context: Parameters<typeof signIn>[0] },
) {
  await analyse(rig);
  const item = await draw(rig);
  await report(rig);
  const { url, managementKey } = rig.gateway;
  await signIn(context, { gateway: rig.gateway, key: managementKey });
  const bytes = await downloaded(page, { url, containerId: String(item.container_id) });
  assert.equal(`data:image/png;base64,${bytes.toBase64()}`, outputsOf(item, "image")[1]?.url);
  // Nothing of the page is under way any more when the gateway ends.
  await page.goto("about:blank");
}

if (hasBubblewrap()) {
  browserStory(
    { name: "data, frames, a plot and a report: a day in the life of a container" },
    async (story) => {
      const data = await Deno.makeTempDir();
      try {
        await Deno.mkdir(`${data}/index`);
        const wheels = await downloadWheels(`${data}/index`, ["pandas", "matplotlib"]);
        if (wheels === undefined) return;
        await buildConsole();
        await using rig = await containerRig({
          env: { TOLLGATE_SANDBOX: "bubblewrap", TOLLGATE_DATA: data },
          file: { sandbox: { python_wheels: wheels } },
          folders: { packages: packagesFolder(data, [{ path: "", sha256: "" }]) },
        });
        await liveThrough(rig, story);
      } finally {
        await Deno.remove(data, { recursive: true });
      }
    },
  );
}
