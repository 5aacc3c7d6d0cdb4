/** SIGHUP to the program as an operator starts it. */

import assert from "node:assert/strict";
import { started, withFolder } from "../support/program.ts";
import { says, scripted } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { fileAt } from "./rig.ts";

const [MANAGEMENT, API] = ["m".repeat(40), "a".repeat(40)];
const windows = Deno.build.os === "windows";

Deno.test(
  "main reads its file and the files of its secrets again on SIGHUP",
  { ignore: windows },
  async () => {
    await using provider = scripted(says("chat", "Hello"));
    await withFolder(async (folder) => {
      const [config, secret] = [`${folder}/tollgate.jsonc`, `${folder}/key`];
      let versions = 0;
      // As Kubernetes mounts secrets: a rotation exchanges the folder that the file's link leads through.
      const rotate = (key: string) => {
        const version = `..${++versions}`;
        Deno.mkdirSync(`${folder}/${version}`);
        Deno.writeTextFileSync(`${folder}/${version}/key`, `${key}\n`);
        Deno.symlinkSync(version, `${folder}/..next`);
        Deno.renameSync(`${folder}/..next`, `${folder}/..data`);
      };
      Deno.symlinkSync("..data/key", secret);
      const write = (aliases: Readonly<Record<string, string>>, key: string) => {
        rotate(key);
        Deno.writeTextFileSync(config, JSON.stringify(fileAt(provider.baseUrl, {}, { aliases })));
      };
      write({}, "first-secret-0123");
      const { address, send, stop } = await started({
        TOLLGATE_DATA: `${folder}/data`,
        TOLLGATE_CONFIG: config,
        MOCK_KEY_FILE: secret,
        TOLLGATE_MANAGEMENT_KEY: MANAGEMENT,
        TOLLGATE_API_KEY: API,
      });
      const ask = (model: string) =>
        fetch(`${address}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${API}`, "content-type": "application/json" },
          body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
        });
      const statusOf = async (model: string) => {
        const response = await ask(model);
        await response.body?.cancel();
        return response.status;
      };
      assert.deepEqual([await statusOf("mock/model"), await statusOf("fast")], [200, 404]);
      write({ fast: "mock/model" }, "second-secret-0123");
      send("SIGHUP");
      await until(async () => await statusOf("fast") === 200, { what: "that the alias is known" });
      assert.equal(provider.requested.at(-1)?.headers.get("authorization"), "Bearer second-secret-0123");
      Deno.writeTextFileSync(config, "{");
      send("SIGHUP");
      const { code, log } = await stop();
      assert.equal(code, 0, log);
      assert.match(log, /"Settings reloaded","setting":"MOCK_KEY, aliases"/);
      assert.ok(!/secret-0123/.test(log), log);
    });
  },
);
