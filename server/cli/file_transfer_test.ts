import assert from "node:assert/strict";
import { redirected } from "../../tests/support/file_streams.ts";
import { reply, run } from "../../tests/support/run_admin.ts";
import type { AdminCommandOptions } from "./admin_command.ts";

Deno.test("admin moves files through the standard streams, and never through a terminal", async () => {
  const upload = ["files", "upload", "--filename", "a.txt"];
  await assert.rejects(run(["files", "upload"], reply({})), /needs --filename/);
  await assert.rejects(run(upload, reply({})), /put < FILE behind the command/);
  await assert.rejects(run([...upload, "--colour", "red"], reply({})), /no --colour\. It takes .*--filename/);
  const download = ["files", "download", "f1"];
  await assert.rejects(run(download, new Response("x")), /put > FILE behind the command/);
  const { streams, written } = redirected(new TextEncoder().encode("hello"));
  const done = await run(download, () => new Response("bytes"), { streams });
  assert.deepEqual(done.output, { out: "", code: 0 });
  assert.equal(done.sent[0]?.url, "http://127.0.0.1:8787/v1/files/f1/content");
  assert.deepEqual(written.map((bytes) => new TextDecoder().decode(bytes)), ["bytes"]);
  let form: FormData | undefined;
  const fetch: AdminCommandOptions["fetch"] = async (input, init) => {
    form = await new Request(input, init).formData();
    return reply({ id: "f1" });
  };
  await run([...upload, "--purpose", "user_data"], reply({}), { streams, fetch });
  const file = form?.get("file");
  assert(file instanceof File);
  assert.deepEqual([file.name, await file.text(), form?.get("purpose")], ["a.txt", "hello", "user_data"]);
});
