/** Attached files: each is put into a container once, and what becomes of it there stays. */

import assert from "node:assert/strict";
import { type ContainerRig, testEngines } from "../support/containers.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { upload, utf8 } from "../support/files.ts";
import type { Json } from "../mocks/published.ts";

/** One call of a tool that runs code; what the command or the patch came to, as text. */
interface Tool {
  /** Where the tool's files are named. */
  readonly settings: (fileIds: readonly string[]) => Json;
  readonly type: string;
  /** Arguments that change a file to `changed`, given that its text is `first`. */
  readonly change: (path: string) => Json;
}

const environment = (fileIds: readonly string[]) => ({
  environment: { type: "container_auto", file_ids: fileIds },
});

const tools: Readonly<Record<string, Tool>> = {
  bash: {
    type: "service:bash",
    settings: (fileIds) => ({ engine: "container", ...environment(fileIds) }),
    change: (path) => ({ command: `printf changed > ${path}` }),
  },
  shell: {
    type: "service:shell",
    settings: environment,
    change: (path) => ({ commands: [`printf changed > ${path}`] }),
  },
  code_interpreter: {
    type: "code_interpreter",
    settings: (fileIds) => ({ container: { type: "auto", file_ids: fileIds } }),
    change: (path) => ({ code: `open("/home/user/${path}", "w").write("changed")` }),
  },
  apply_patch: {
    type: "service:apply_patch",
    settings: (fileIds) => ({ engine: "container", ...environment(fileIds) }),
    change: (path) => ({ type: "update_file", path, diff: "@@\n-first\n+changed" }),
  },
};

interface Use {
  readonly tool: string;
  readonly fileIds: readonly string[];
  readonly args: Json;
  readonly session: string;
}

/** Lets the model call the tool once. */
async function use({ gateway }: ContainerRig, { tool, fileIds, args, session }: Use): Promise<void> {
  const { type = "", settings } = tools[tool] ?? {};
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "local/echo",
      input: `Use the ${tool} tool with: ${JSON.stringify(args)}`,
      tools: [{ type, ...settings?.(fileIds) }],
      session_id: session,
    }),
  });
  const body = asObject(await response.json());
  assert.equal(response.status, 200, JSON.stringify(body));
  assert.equal(asObject(asList(body.output)[0]).status, "completed", JSON.stringify(body));
}

interface Attached {
  readonly id: string;
  /** In the home folder. */
  readonly path: string;
}

async function attached({ gateway }: ContainerRig, name: string): Promise<Attached> {
  const { body } = await upload(gateway, { name, bytes: utf8("first") });
  const id = String(body.id);
  return { id, path: `${id.slice(-8)}-${name}` };
}

for (const tool of Object.keys(tools)) {
  for (const used of [false, true]) {
    testEngines(
      `an attached file is put there once, and ${tool} keeps its edit, in a ${
        used ? "used" : "fresh"
      } container`,
      async (openRig) => {
        await using rig = await openRig();
        const session = "s";
        const [one, two] = [await attached(rig, "one.txt"), await attached(rig, "two.txt")];
        const bash = async (command: string, fileIds: readonly string[]) =>
          (await rig.bash({ command }, { session, settings: environment(fileIds) })).stdout;
        if (used) assert.equal(await bash("ls", []), "");
        const change = tools[tool]?.change ?? assert.fail();
        await use(rig, { tool, fileIds: [one.id], args: change(one.path), session });
        assert.equal(await bash(`cat ${one.path}`, [one.id]), "changed", "the next command");
        await use(rig, { tool, fileIds: [one.id, two.id], args: change(two.path), session });
        const both = [one.id, two.id];
        assert.equal(
          await bash(`cat ${one.path} ${two.path}`, both),
          "changedchanged",
          "one was attached later",
        );
        assert.equal(await bash(`rm ${one.path}; ls`, both), `${two.path}\n`);
        assert.equal(await bash("ls", both), `${two.path}\n`, "what was removed does not come back");
      },
    );
  }
}

testEngines(
  "an attached file is put there once, also where another gateway wakes the container, and anew by a restart",
  async (openRig) => {
    await using rig = await openRig();
    const { id, path } = await attached(rig, "data.csv");
    const call = { session: "s", settings: environment([id]), apiKey: rig.gateway.apiKey };
    await rig.bash({ command: `printf changed > ${path}` }, call);
    {
      await using other = await openRig({ beside: rig.gateway });
      assert.equal(
        (await other.bash({ command: `cat ${path}; printf more >> ${path}` }, call)).stdout,
        "changed",
      );
    }
    assert.equal((await rig.bash({ command: `cat ${path}` }, call)).stdout, "changedmore");
    assert.equal((await rig.bash({ command: `cat ${path}`, restart: true }, call)).stdout, "first");
  },
);
