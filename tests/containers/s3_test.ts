/** Containers whose files are in an S3 bucket. */

import assert from "node:assert/strict";
import { S3BlobStore } from "../../server/storage/blobs/s3_blob_store.ts";
import { containerCall, containerRig } from "../support/containers.ts";
import { s3Clock } from "../support/s3_clock.ts";
import { hasS3, sharedS3 } from "../support/s3_server.ts";

Deno.test({
  name:
    "files of containers in S3 last, are read into a new process and downloaded, and go with the container",
  ignore: !hasS3(),
  fn: async () => {
    const server = await sharedS3();
    const bucket = await server.createBucket();
    const blobs = new S3BlobStore({
      address: { ...bucket, prefix: "containers" },
      keys: server.keys,
      runtime: { fetch, clock: s3Clock(), random: () => 0.5 },
    });
    await using rig = await containerRig({ blobs });
    const { gateway, bash } = rig;
    const first = await bash({ command: "echo hello > a; seq 1 200000 > big; : > empty" }, { session: "s" });
    const { workspaceId = "" } = {
      workspaceId: await gateway.containers.store.workspaceOf(first.containerId),
    };
    // Its process ends, and the next one reads the files.
    await gateway.containers.removeFile({ workspaceId, id: first.containerId }, "empty");
    const second = await bash({ command: "cat a; tail -1 big; ls" }, { session: "s" });
    assert.equal(second.stdout, "hello\n200000\na\nbig\n");
    const path = `/${first.containerId}/files/cfile_Ymln/content`;
    const part = await containerCall(gateway, {
      path,
      token: gateway.managementKey,
      headers: { range: "bytes=0-3" },
    });
    assert.deepEqual([part.status, await part.text()], [206, "1\n2\n"]);
    const gone = await containerCall(gateway, {
      method: "DELETE",
      path: `/${first.containerId}`,
      token: gateway.apiKey,
    });
    await gone.body?.cancel();
    assert.deepEqual(await Array.fromAsync(blobs.list()), []);
  },
});
