/** Pictures that `code_interpreter` writes, as models on each wire are shown them: now, and when they come back. */

import assert from "node:assert/strict";
import type { ChangedFile, Container } from "../../server/sandbox/containers/containers.ts";
import {
  calls,
  itemsOf,
  type MockedWire,
  says,
  send,
  type ToolRig,
  upstreamWires,
  wholeOf,
  withTools,
} from "../server_tools/rig.ts";
import type { Gateway } from "../support/gateway.ts";

const files: ReadonlyMap<string, Uint8Array<ArrayBuffer>> = new Map([
  ["a.png", Uint8Array.from({ length: 60 }, (_none, index) => index)],
  ["b.txt", Uint8Array.from({ length: 60 }, (_none, index) => 100 + index)],
  ["c.jpg", Uint8Array.from({ length: 60 }, (_none, index) => 200 - index)],
  ["large.png", new Uint8Array(2 * 1024 * 1024)],
]);

const written = [...files].map(([path, { length: size }]): ChangedFile => ({
  fileId: `cfile_${path}`,
  path,
  size,
}));

/** A container whose code has written these files, whatever it is. */
const container: Pick<Container, "id" | "run" | "readFile"> = {
  id: "sess_pictures",
  run: ({ commands: [command = ""] }) =>
    Promise.resolve({
      results: [{ command, stdout: "", stderr: "", status: { type: "exit", exitCode: 0 } }],
      files: written.toReversed(),
      notes: [],
      seconds: 1,
    }),
  readFile: (path) => Promise.resolve(files.get(path)),
};

function withContainer({ containers }: Gateway): void {
  const nothing = () => Promise.resolve();
  Object.defineProperties(containers, {
    unavailableReason: { value: undefined },
    open: { value: () => Promise.resolve(container) },
    verify: { value: nothing },
  });
}

const tools = [{ type: "code_interpreter", container: { type: "auto" } }];

interface Sending {
  readonly wire: MockedWire;
  readonly input: unknown;
  readonly isIncluded?: boolean;
}

/** The files whose bytes are in the last request that a provider has got, each as often as it is there. */
async function filesShown(rig: ToolRig, { wire, input, isIncluded = false }: Sending) {
  const isFirst = input === "go";
  rig.plan((turn) =>
    turn === 0 && isFirst ? [calls("code_interpreter", { args: { code: "draw()" } })] : [says("done")]
  );
  const include = isIncluded ? ["code_interpreter_call.outputs"] : [];
  const body = { model: `mock/${wire}`, input, tools, include };
  const items = itemsOf(wholeOf(await send(rig.gateway, { api: "responses", body })));
  const last = JSON.stringify(rig.taken(wire).at(-1));
  const shown = [...files].flatMap(([path, bytes]) =>
    Array<string>(last.split(bytes.toBase64()).length - 1).fill(path)
  );
  return { items, shown };
}

/** Providers on this wire have the tool themselves: items of earlier calls go back to them as they are. */
const hasOwnTool = (wire: MockedWire): boolean => wire === "responses";
const pictures = ["a.png", "c.jpg"];
const allPictures = [...pictures, "large.png"];

const conversation = (items: readonly unknown[]) => [
  { role: "user", content: "go" },
  ...items,
  { role: "user", content: "on" },
];

Deno.test("a model that takes pictures is shown those that its code wrote, on every wire", async () => {
  await withTools({ model: { input_modalities: ["text", "image"] } }, async (rig) => {
    withContainer(rig.gateway);
    for (const wire of upstreamWires) {
      const { items, shown } = await filesShown(rig, { wire, input: "go" });
      assert.deepEqual(shown, pictures, wire);
      const unsent = await filesShown(rig, { wire, input: conversation(items) });
      assert.deepEqual(unsent.shown, [], `${wire}: the client was not sent them`);
      const first = await filesShown(rig, { wire, input: "go", isIncluded: true });
      const again = await filesShown(rig, { wire, input: conversation(first.items) });
      const expected = hasOwnTool(wire) ? allPictures : pictures;
      assert.deepEqual(again.shown, expected, `${wire}: the client brings them back`);
    }
  });
});

for (
  const [name, model] of Object.entries({
    "takes text alone": { input_modalities: ["text"] },
    "nobody has described": { input_modalities: undefined },
  })
) {
  Deno.test(`a model that ${name} is told the names of pictures`, async () => {
    await withTools({ model }, async (rig) => {
      withContainer(rig.gateway);
      for (const wire of upstreamWires) {
        const { items, shown } = await filesShown(rig, { wire, input: "go", isIncluded: true });
        assert.deepEqual(shown, [], wire);
        assert(JSON.stringify(rig.taken(wire).at(-1)).includes("a.png"), wire);
        const again = await filesShown(rig, { wire, input: conversation(items) });
        assert.deepEqual(again.shown, hasOwnTool(wire) ? allPictures : [], wire);
      }
    });
  });
}
