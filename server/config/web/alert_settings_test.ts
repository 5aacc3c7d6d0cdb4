import assert from "node:assert/strict";
import { ConfigError, readConfig } from "../config.ts";
import { secretsOf } from "../reload/secrets_of.ts";

const SECRET = `whsec_${btoa("0123456789abcdef01234567")}`;
const keys = {
  ALERT_SECRET: SECRET,
  ALERT_URL: "https://hooks.example/T0/B0/long-token",
  SHORT: "whsec_YQ==",
};

function read(webhook: unknown) {
  const names: Readonly<Record<string, string>> = { TOLLGATE_CONFIG: "gate.jsonc", ...keys };
  return readConfig({
    env: (name) => names[name],
    readFile: () => JSON.stringify({ alerts: { webhook } }),
    terminal: false,
    names: () => Object.keys(keys).filter((name) => name !== "SHORT"),
  }, []);
}

Deno.test("alerts have an address, a secret and a form, and both are cut out of the log", () => {
  const { alertWebhook: own, warnings } = read({ url: "https://a.example/in", secret_env: "ALERT_SECRET" });
  assert.deepEqual(own, { url: "https://a.example/in", secret: SECRET, format: "json" });
  assert.deepEqual(warnings, []);
  const slack = read({ url_env: "ALERT_URL", format: "slack" });
  assert.deepEqual(slack.alertWebhook, { url: keys.ALERT_URL, secret: undefined, format: "slack" });
  assert.ok(secretsOf(slack).includes(keys.ALERT_URL));
  assert.equal(read(undefined).alertWebhook, undefined);
});

Deno.test("alerts that cannot be sent end the start with a sentence that tells no secret", () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ secret_env: "ALERT_SECRET" }, /^alerts\.webhook needs url or url_env: allowed is one of them$/],
    [{ url: "https://a.example", url_env: "ALERT_URL", format: "slack" }, /allowed is one of them$/],
    [{ url: "https://a.example" }, /^alerts\.webhook\.secret_env is missing: bodies in json are signed$/],
    [{ url: "https://a.example", secret_env: "NONE" }, /secret_env is NONE, which is not set$/],
    [
      { url: "https://a.example", secret_env: "SHORT" },
      /^SHORT is not usable \(10 characters\): allowed is whsec_/,
    ],
    [
      { url_env: "ALERT_SECRET", format: "slack" },
      /^ALERT_SECRET is not usable \(38 characters\): allowed is an http/,
    ],
    [
      { url: "ftp://a.example", secret_env: "ALERT_SECRET" },
      /alerts\.webhook\.url is .*an http or https address$/,
    ],
    [
      { url: "https://a.example", format: "teams" },
      /alerts\.webhook\.format is "teams": expected one of "json"/,
    ],
  ];
  for (const [webhook, words] of cases) {
    assert.throws(() => read(webhook), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, words);
      return true;
    });
  }
});
