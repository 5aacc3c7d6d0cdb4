/** Pictures that `code_interpreter` writes, as models on each wire are shown them: now, and when they come back. */

import assert from "node:assert/strict";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import { startKeeper } from "../../server/sandbox/keeper/start_keeper.ts";
import { calls, itemsOf, says, send, type ToolRig, upstreamWires, wholeOf, withTools } from "../server_tools/rig.ts";
import type { MockedWire } from "../mocks/upstreams.ts";
import { linesLogger } from "../support/reader.ts";
import { tickingClock } from "../support/ticking_clock.ts";

/** The least that providers take for a picture, in base64. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const TEXT = "bm8gcGljdHVyZQ==";

const code = [
  "import base64",
  ...[["a.png", PICTURE], ["b.txt", TEXT], ["c.png", PICTURE]].map(([name, content]) =>
    `open('${name}', 'wb').write(base64.b64decode('${content}'));`
  ),
].join("\n");

const tools = [{ type: "code_interpreter", container: { type: "auto" } }];

interface Asked {
  readonly wire: MockedWire;
  readonly input: unknown;
  readonly include?: readonly string[];
}

/** Pictures in the body of the last request that a provider has got. */
async function picturesShown(rig: ToolRig, { wire, input, include = [] }: Asked) {
  rig.plan((turn) => turn === 0 && input === "go" ? [calls("code_interpreter", { args: { code } })] : [says("done")]);
  const body = { model: `mock/${wire}`, input, session_id: "pictures", tools, include };
  const items = itemsOf(wholeOf(await send(rig.gateway, { api: "responses", body })));
  const last = JSON.stringify(rig.taken(wire).at(-1));
  // The code itself has the picture too, as its argument.
  const shown = last.replaceAll(/b64decode\([^)]*\)/g, "").split(PICTURE).length - 1;
  return { items, shown };
}

async function withModels(
  modalities: readonly string[],
  test: (rig: ToolRig) => Promise<void>,
): Promise<void> {
  const keeper = startKeeper({ clock: tickingClock(), log: linesLogger([]), env: keeperEnvironment() });
  const env = { TOLLGATE_LOCAL: "on", TOLLGATE_SANDBOX: "virtual" } as const;
  await withTools({ keeper, env, model: { input_modalities: modalities } }, test);
  await keeper.close();
}

Deno.test("a model that takes pictures is shown those that its code wrote, on every wire", async () => {
  await withModels(["text", "image"], async (rig) => {
    for (const wire of upstreamWires) {
      const { items, shown } = await picturesShown(rig, { wire, input: "go" });
      assert.equal(shown, 2, wire);
      const again = { wire, input: [{ role: "user", content: "go" }, ...items, { role: "user", content: "on" }] };
      assert.equal((await picturesShown(rig, again)).shown, 0, `${wire}: the client was not sent them`);
      const include = ["code_interpreter_call.outputs"];
      const first = await picturesShown(rig, { wire, input: "go", include });
      const input = [{ role: "user", content: "go" }, ...first.items, { role: "user", content: "on" }];
      assert.equal((await picturesShown(rig, { wire, input })).shown, 2, `${wire}: the client brings them back`);
    }
  });
});

Deno.test("a model that takes text alone is told the names of pictures", async () => {
  await withModels(["text"], async (rig) => {
    for (const wire of upstreamWires) {
      const include = ["code_interpreter_call.outputs"];
      const { items, shown } = await picturesShown(rig, { wire, input: "go", include });
      assert.equal(shown, 0, wire);
      assert(JSON.stringify(rig.taken(wire).at(-1)).includes("a.png"), wire);
      const input = [{ role: "user", content: "go" }, ...items, { role: "user", content: "on" }];
      assert.equal((await picturesShown(rig, { wire, input })).shown, 0, wire);
    }
  });
});
