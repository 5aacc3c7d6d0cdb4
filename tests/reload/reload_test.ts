/** A reload of the settings while requests are under way. */

import assert from "node:assert/strict";
import { asList, asObject } from "../support/event_stream.ts";
import { PROVIDER_KEY } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { until } from "../support/until.ts";
import { badFiles } from "./bad_files.ts";
import { fileAt, heldProvider, reloadRig, saidIn } from "./rig.ts";

const STREAMS = 100;

Deno.test("a reload under 100 streams drops none, and each ends by the settings that it has begun with", async () => {
  await using before = heldProvider("from the first");
  await using after = scripted(says("chat", "from the second"));
  const pricing = (prompt: string) => ({
    models: [{ id: "mock/model", pricing: { prompt, completion: "0" } }],
  });
  await using rig = await reloadRig(fileAt(before.baseUrl, pricing("0.000001")));
  const streams = Array.from({ length: STREAMS }, () => rig.ask({ stream: true }));
  await until(() => before.open() === STREAMS, { what: "that all streams are open" });
  rig.write(fileAt(after.baseUrl, pricing("0.5"), { aliases: { fast: "mock/model" } }));
  const { status, body } = await rig.reload();
  assert.deepEqual([status, body.data], [200, {
    changed: ["aliases", "providers.mock"],
    restart: [],
    warnings: [],
  }]);
  assert.equal(await saidIn(await rig.ask({ model: "fast" })), "from the second");
  before.release();
  const texts = await Promise.all((await Promise.all(streams)).map((one) => one.text()));
  for (const text of texts) {
    assert.match(text, /" first"[^]*\[DONE\]/);
    assert.doesNotMatch(text, /error/);
    assert.match(text, /"cost":0\.000007,/, "the price of the moment when it was reserved");
  }
});

Deno.test("a reload refuses a bad file with its place, and leaves the settings in force", async (t) => {
  await using provider = scripted(says("chat", "still here"));
  await using rig = await reloadRig(fileAt(provider.baseUrl));
  assert(badFiles.length >= 40);
  for (const [name, file, sentence] of badFiles) {
    await t.step(name, async () => {
      rig.write(file);
      const { status, body } = await rig.reload();
      const { message } = asObject(body.error);
      assert.equal(status, 400, String(message));
      assert.match(String(message), sentence);
      assert.match(String(message), /^Cannot reload settings: .*The settings before stay in force\.$/s);
      assert.ok(!String(message).includes(PROVIDER_KEY));
    });
  }
  assert.equal(await saidIn(await rig.ask()), "still here");
  const { body } = await managed(rig.gateway, { call: "GET /audit?operation=reload" });
  assert.deepEqual(body.data, [], "nothing was changed");
});

Deno.test("a reload names what needs a restart, puts the rest in force, and stands in the audit log", async () => {
  await using provider = scripted(says("chat", "here"));
  await using rig = await reloadRig(fileAt(provider.baseUrl), {
    files: { port: "8787", host: "127.0.0.1" },
    env: { PORT_FILE: "port", HOST_FILE: "host" },
  });
  rig.files.set("port", "9999");
  rig.files.set("host", "0.0.0.0");
  rig.write(fileAt(provider.baseUrl, {}, {
    aliases: { fast: "mock/model", typo: "mock/modle" },
    limits: { drain_seconds: 5, attempts: 2, store_seconds: 9 },
    sandbox: { memory_mib: 256 },
  }));
  const report = {
    changed: ["aliases", "limits.attempts"],
    restart: ["HOST", "PORT", "limits.drain_seconds", "limits.store_seconds", "sandbox"],
    warnings: ["aliases.typo is mock/modle, which is no model that is here now. Did you mean mock/model?"],
  };
  assert.deepEqual((await rig.reload()).body.data, report);
  assert.deepEqual(
    (await rig.reload()).body.data,
    { ...report, changed: [], warnings: [] },
    "told again, as long as it is so",
  );
  const { body } = await managed(rig.gateway, { call: "GET /audit?operation=reload" });
  const [entry, ...others] = asList(body.data).map(asObject);
  assert.deepEqual(others, []);
  assert.deepEqual([entry?.subject, entry?.after], [{ type: "settings", id: "settings" }, report]);
});
