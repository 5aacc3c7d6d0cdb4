/** Names of files: one rule for commands, patches and attached files, also for what was written before it. */

import assert from "node:assert/strict";
import { encodeFileId } from "../../server/sandbox/containers/container_ids.ts";
import { containerFiles } from "../../server/sandbox/containers/container_rows.ts";
import { containerCall, patch, testEngines } from "../support/containers.ts";
import { asObject } from "../support/event_stream.ts";
import { fileCall, upload, utf8 } from "../support/files.ts";

const LONGEST: Readonly<Record<string, string>> = {
  "of one byte each": "a".repeat(255),
  "of two bytes each": "ä".repeat(127),
  "of four bytes each": "🙂".repeat(63),
};

testEngines(
  "a name of 255 bytes is taken by commands and patches, and a longer one is refused by both",
  async (openRig) => {
    await using rig = await openRig();
    for (const [what, name] of Object.entries(LONGEST)) {
      assert.match(await patch(rig, { type: "create_file", path: `d/${name}`, diff: "+x" }), /^completed /);
      assert.equal(
        (await rig.bash({ command: `cat d/${name}; rm d/${name}` }, { session: "s" })).stdout,
        "x\n",
        what,
      );
      for (const path of [`${name}bbbb`, `${name}bbbb/f`, `d/${name}bbbb`]) {
        assert.match(
          await patch(rig, { type: "create_file", path, diff: "+x" }),
          /path: .* cannot be written: a name in its path is longer than 255 bytes/,
        );
      }
      const refused = await rig.bash({ command: `mkdir -p d; echo x > d/${name}bbbb` }, { session: "s" });
      assert.match(refused.stderr, /File name too long/);
      assert.equal(
        (await rig.bash({ command: "ls d" }, { session: "s" })).stdout,
        "",
        "the container goes on",
      );
    }
  },
);

testEngines("what apply_patch is wrong about is named: type, path or diff", async (openRig) => {
  await using rig = await openRig();
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ type: "rename_file", path: "a", diff: "" }, /type: it is not one of create_file/],
    [{ type: "create_file", diff: "+x" }, /path: it is missing/],
    [{ type: "create_file", path: "a" }, /diff: it is missing/],
    [{ type: "update_file", path: "gone", diff: "@@\n-x\n+y" }, /path: There is no file gone/],
    [{ type: "delete_file", path: "gone" }, /path: There is no file gone/],
    [{ type: "create_file", path: "../a", diff: "+x" }, /path: .*no path below the home folder/],
    [{ type: "create_file", path: "a", diff: "x" }, /diff: /],
  ];
  for (const [args, shows] of cases) assert.match(await patch(rig, args), shows, JSON.stringify(args));
});

testEngines(
  "an attached file with a name of 255 bytes is there under a shorter one with its ending",
  async (openRig) => {
    await using rig = await openRig();
    const { body } = await upload(rig.gateway, { bytes: utf8("hello\n"), name: `${"ä".repeat(125)}.txt` });
    const settings = { environment: { type: "container_auto", file_ids: [body.id] } };
    for (const _round of [1, 2]) {
      const { stdout } = await rig.bash({ command: "cat *.txt; ls | wc -l" }, { session: "s", settings });
      assert.equal(stdout, "hello\n1\n");
    }
  },
);

testEngines(
  "a container with a name that no command can use goes on, names it, and is rid of it by a patch",
  async (openRig) => {
    await using rig = await openRig();
    const { containerId } = await rig.bash({ command: "echo kept > kept" }, { session: "s" });
    const rows = containerFiles(rig.gateway.store);
    const [found] = await rows.list({ limit: 1 });
    assert(found !== undefined);
    const [entry] = found.record.entries;
    assert(entry !== undefined);
    const name = "x".repeat(300);
    const damaged = {
      ...found.record,
      version: "damaged",
      entries: [entry, { ...entry, path: JSON.stringify(name) }],
    };
    await rig.gateway.store.commit({ puts: [rows.put(found.id, damaged)] });
    for (const _round of [1, 2]) {
      const shown = await rig.bash({ command: "cat *; echo more >> kept" }, { session: "s" });
      assert.equal(shown.exitCode, 0, shown.error);
      assert.match(shown.stdout, /^kept\n/);
      assert.match(JSON.stringify(shown.output), /Not there for commands, because of the name/);
    }
    assert.match(await patch(rig, { type: "delete_file", path: name }), /^completed /);
    const after = await rig.bash({ command: "cat kept" }, { session: "s" });
    assert.deepEqual([after.stdout, after.containerId], ["kept\nmore\nmore\n", containerId]);
    assert.doesNotMatch(JSON.stringify(after.output), /Not there/);
  },
);

testEngines("an empty file is promoted, downloaded and attached like any other", async (openRig) => {
  await using rig = await openRig();
  const { gateway } = rig;
  const { containerId } = await rig.bash({ command: ": > nothing.txt" }, { session: "s" });
  const path = `/${containerId}/files/${encodeFileId("nothing.txt")}/promote`;
  const reply = await containerCall(gateway, { method: "POST", path, token: gateway.apiKey });
  const file = asObject(await reply.json());
  assert.deepEqual([reply.status, file.filename, file.size_bytes], [200, "nothing.txt", 0]);
  const content = await fileCall(gateway, { path: `/${file.id}/content`, token: gateway.managementKey });
  assert.deepEqual([content.status, await content.text()], [200, ""]);
  const settings = { environment: { type: "container_auto", file_ids: [file.id] } };
  const { stdout } = await rig.bash({ command: "wc -c < *-nothing.txt" }, { session: "other", settings });
  assert.equal(stdout, "0\n");
});
