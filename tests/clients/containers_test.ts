/** The official libraries on container files, as they are published. */

import assert from "node:assert/strict";
import OpenAI from "openai";
import { OpenRouter } from "@openrouter/sdk";
import { testEngines } from "../support/containers.ts";

testEngines("openai containers.files: list page by page, retrieve, and content", async (openRig) => {
  await using rig = await openRig();
  const { gateway, bash } = rig;
  const { containerId } = await bash({ command: "for i in 1 2 3 4 5; do echo $i > f$i; done" }, {
    session: "s",
  });
  const connect = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
  const openai = connect(gateway.apiKey);
  const listed: string[] = [];
  for await (const { id, path } of openai.containers.files.list(containerId, { limit: 2 })) {
    listed.push(path);
    const one = await openai.containers.files.retrieve(id, { container_id: containerId });
    assert.deepEqual([one.path, one.bytes, one.object], [path, 2, "container.file"]);
  }
  assert.deepEqual(listed, ["f1", "f2", "f3", "f4", "f5"]);
  const { data: [first] } = await openai.containers.files.list(containerId);
  const manager = connect(gateway.managementKey);
  const content = await manager.containers.files.content.retrieve(first?.id ?? "", {
    container_id: containerId,
  });
  assert.equal(await content.text(), "1\n");
  await assert.rejects(
    openai.containers.files.content.retrieve(first?.id ?? "", { container_id: containerId }),
    (error) => error instanceof OpenAI.PermissionDeniedError,
  );
});

testEngines(
  "openai responses: a bash call's files are downloaded by the ids of its result",
  async (openRig) => {
    await using rig = await openRig();
    const { gateway } = rig;
    const item = await rig.bash({ command: "echo hello > notes.txt" }, { session: "s" });
    const manager = new OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: gateway.managementKey,
      maxRetries: 0,
    });
    const content = await manager.containers.files.content.retrieve(item.files[0]?.fileId ?? "", {
      container_id: item.containerId,
    });
    assert.equal(await content.text(), "hello\n");
  },
);

testEngines("@openrouter/sdk containers: list, get, promote and download", async (openRig) => {
  await using rig = await openRig();
  const { gateway, bash } = rig;
  const { containerId, files: [file] } = await bash({ command: "echo hello > notes.txt" }, { session: "s" });
  const fileId = file?.fileId ?? "";
  const client = new OpenRouter({ apiKey: gateway.managementKey, serverURL: `${gateway.url}/v1` });
  const listed = await client.containers.listContainerFiles({ containerId });
  assert.match(JSON.stringify(listed), /notes\.txt/);
  const one = await client.containers.getContainerFile({ containerId, fileId });
  assert.equal(one.path, "notes.txt");
  const promoted = await client.containers.promoteContainerFile({ containerId, fileId });
  assert.match(JSON.stringify(promoted), /notes\.txt/);
  const stream = await client.containers.downloadContainerFileContent({ containerId, fileId });
  assert.equal(await new Response(stream).text(), "hello\n");
});
