import assert from "node:assert/strict";
import { alertWarnings } from "./alert_warnings.ts";

const closed = { allowHttp: false, allowedHosts: [] };
const named = { allowHttp: false, allowedHosts: ["127.0.0.1:9999", "wiki.corp"] };

/** Hosts that the warning names; null where there is no warning. */
const cases = [
  ["https://alerts.example/token", closed, null],
  ["https://8.8.8.8/token", closed, null],
  ["http://127.0.0.1:9999/token", named, null],
  ["http://wiki.corp/token", named, null],
  ["http://alerts.example/token", { ...closed, allowHttp: true }, null],
  ["http://127.0.0.1:9999/token", closed, "127.0.0.1:9999"],
  ["http://127.0.0.1:9998/token", named, "127.0.0.1:9998"],
  ["http://alerts.example/token", closed, "alerts.example"],
  ["https://10.0.0.7/token", closed, "10.0.0.7"],
] as const;

Deno.test("alertWarnings tells of an address that may not be called, and which setting would allow it", () => {
  for (const [url, fetch, host] of cases) {
    const found = alertWarnings({ alertWebhook: { url, secret: undefined, format: "slack" }, fetch });
    if (host === null) {
      assert.deepEqual(found, [], url);
      continue;
    }
    const [sentence = ""] = found;
    assert.match(sentence, /^Alerts cannot be sent: the address of alerts\.webhook may not be called: /);
    assert.ok(
      sentence.endsWith(`The setting fetch.allowed_hosts of the configuration file does not name ${host}`),
    );
    assert.ok(!sentence.includes("token"), "the address is a secret");
  }
  assert.deepEqual(alertWarnings({ fetch: closed }), []);
});
