/** A day in the life of `code_interpreter` and `bash` in one container: data, frames, a plot, a report to download. */

import assert from "node:assert/strict";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { containerCall, type ContainerRig, containerRig } from "../support/containers.ts";
import { asList, asObject } from "../support/event_stream.ts";
import type { Json } from "../mocks/published.ts";
import { need } from "../support/need.ts";

/** Lets the model call the interpreter once in a session; returns its item, and what the model read of it. */
async function call(
  { gateway }: ContainerRig,
  code: string,
): Promise<{ readonly item: Json; readonly read: string }> {
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "local/echo",
      input: `Use the code_interpreter tool with: ${JSON.stringify({ code })}`,
      tools: [{ type: "code_interpreter", container: { type: "auto" } }],
      include: ["code_interpreter_call.outputs"],
      session_id: "day",
    }),
  });
  const items = asList(asObject(await response.json()).output).map(asObject);
  const item = items.find(({ type }) => type === "code_interpreter_call") ??
    assert.fail(JSON.stringify(items));
  return { item, read: JSON.stringify(items.at(-1)) };
}

const outputsOf = (item: Json, type: string): readonly Json[] =>
  asList(item.outputs).map(asObject).filter((output) => output.type === type);

const logs = (item: Json): string => outputsOf(item, "logs").map((output) => String(output.logs)).join("");

function hasPackages(): boolean {
  const { success } = new Deno.Command("/usr/bin/python3", {
    args: ["-c", "import matplotlib, pandas"],
    stderr: "null",
  }).outputSync();
  return need(success, { what: "python3 with pandas and matplotlib", for: "Tests of plots in containers" });
}

const PNG = "data:image/png;base64,iVBORw0KGgo";

if (hasBubblewrap()) {
  Deno.test("a new interpreter is told of to the model and to the client", async () => {
    await using rig = await containerRig({ env: { TOLLGATE_SANDBOX: "bubblewrap" } });
    assert.equal(logs((await call(rig, "x = 1; x")).item), "1\n");
    assert.equal(logs((await call(rig, "x + 1")).item), "2\n");
    await call(rig, "import os; os._exit(1)");
    const { item, read } = await call(rig, "'x' in globals()");
    assert.match(logs(item), /^False\nThe interpreter was restarted: variables of earlier calls are gone/);
    assert.match(read, /The interpreter was restarted/);
    assert.equal(logs((await call(rig, "1")).item), "1\n");
  });
}

if (hasBubblewrap() && hasPackages()) {
  Deno.test("data, frames, a plot and a report: a day in the life of a container", async () => {
    await using rig = await containerRig({ env: { TOLLGATE_SANDBOX: "bubblewrap" } });
    await rig.bash({
      command: "printf 'month,sales\\n' > s.csv; for i in 1 2 3; do echo $i,$((i * 10)); done >> s.csv",
    }, { session: "day" });
    const analysed = await call(
      rig,
      "import pandas as pd\nsales = pd.read_csv('s.csv')\nsales.describe().loc[['mean']]",
    );
    assert.match(logs(analysed.item), /month +sales\nmean +2\.0 +20\.0\n/);
    const wide = await call(rig, "pd.DataFrame([range(60)])");
    assert.match(logs(wide.item), / 59 *\n/);
    const drawn = await call(
      rig,
      "import matplotlib.pyplot as plt\nplt.plot(sales.month, sales.sales); plt.savefig('own.png', bbox_inches='tight'); plt.show()\n" +
        "plt.bar([1], [2]); plt.show()\nplt.figure(); plt.plot([3]);",
    );
    const pictures = outputsOf(drawn.item, "image");
    assert.equal(pictures.length, 3, JSON.stringify(drawn.item.outputs));
    assert(pictures.every(({ url }) => String(url).startsWith(PNG)));
    const names = asList(drawn.item.files).map((file) => String(asObject(file).filename));
    assert.deepEqual(names.sort(), ["own.png", "plot-1.png", "plot-2.png"]);
    await call(
      rig,
      "import zipfile\nwith zipfile.ZipFile('report.zip', 'w') as z:\n    z.write('s.csv'); z.write('plot-1.png')",
    );
    const listed = await rig.bash({ command: "python3 -m zipfile -l report.zip | awk '{print $1}'" }, {
      session: "day",
    });
    assert.equal(listed.stdout, "File\ns.csv\nplot-1.png\n");
    const plot = asList(drawn.item.files).map(asObject).find(({ filename }) => filename === "plot-1.png");
    const path = `/${drawn.item.container_id}/files/${plot?.file_id}/content`;
    const downloaded = await containerCall(rig.gateway, { path, token: rig.gateway.managementKey });
    assert.equal(downloaded.status, 200);
    assert.equal(`data:image/png;base64,${(await downloaded.bytes()).toBase64()}`, pictures[1]?.url);
  });
}
