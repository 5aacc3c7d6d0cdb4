import assert from "node:assert/strict";
import { findAll } from "../../../../tests/support/filter_corpus.ts";
import { secretForms } from "./secret_forms.ts";
import { secrets } from "./secrets.ts";

const found = (text: string) => findAll(secrets, text).map(({ start, end }) => text.slice(start, end));

const VALUE = "8fK2pQ9xLm4ZwT7vB3nR";

/** Everything between a name and its value; `V` is the value. */
const carriers = [
  "token=V",
  "token = V",
  "token:\tV",
  "api_key        = 'V'",
  'TOKEN ::= "V"',
  'TOKEN :::= "V"',
  "TOKEN ?= V",
  "TOKEN := V",
  '$token .= "V"',
  '$token ||= "V"',
  '"apiToken" => "V"',
  '{\n  "api_token": "V"\n}',
  'config["secret"] = "V"',
  "<token>V</token>",
  "<apiToken>\n    V\n</apiToken>",
  '<add key="ApiToken" value="V" />',
  'System.setProperty("TOKEN", "V")',
  'os.environ.get("AUTH_TOKEN",\n\t\t"V")',
  'var apiToken string = "V"',
  'let token: &str = "V";',
  'const secret: string = "V";',
  "deploy --token V",
  'deploy --auth-token "V" now',
  "mysql --password V",
  "curl -u admin:V https://host.example/",
  'curl --user "admin:V" https://host.example/',
  'curl -u ":V" https://host.example/',
  "Authorization: Bearer V",
  "my password is V",
  "Password is: V",
] as const;
const words = ["placeholder", "your-token-1234", "xxxxxxxxxxxxxxx1", "${TOKEN_1234}"];

Deno.test("secrets finds a random value behind every carrier, and nothing where a word stands there", () => {
  for (const carrier of carriers) {
    assert.deepEqual(found(carrier.replace("V", VALUE)), [VALUE], carrier);
    for (const word of words) {
      assert.deepEqual(found(carrier.replace("V", () => word)), [], `${carrier} ${word}`);
    }
  }
});

Deno.test("secrets wants a name before the sign", () => {
  for (
    const text of [
      `sha = "${VALUE}"`,
      `["one", "${VALUE}"]`,
      `<div>\n  ${VALUE}\n</div>`,
      `<add key="Theme" value="${VALUE}" />`,
      `sort --unique ${VALUE}`,
      `docker run -u 1000:1000 image`,
      `the token ${VALUE}`,
    ]
  ) assert.deepEqual(found(text), [], text);
});

const letters = "Ab3dE6gH1jK4mN7pQ0rS2tU5vW8xYzLc9fB".repeat(12);
const hex = "9f8e7d6c5b4a39281706f5e4d3c2b1a0".repeat(8);
const uuid = "c0a80123-7d4f-4b1a-9e2c-5f6a7b8c9d0e";

Deno.test("secrets finds the forms of issuers without a name before them", () => {
  const keys = [
    `EAAM${letters.slice(0, 120)}`,
    `123456789012345|${letters.slice(0, 27)}`,
    `sgp_${hex.slice(0, 40)}`,
    `sgp_local_${hex.slice(0, 40)}`,
    `sgp_${hex.slice(0, 16)}_${hex.slice(0, 40)}`,
    `sha256~${letters.slice(0, 43)}`,
    `aB38Q~${letters.slice(0, 34)}`,
    `https://hooks.slack.com/services/${letters.slice(0, 44)}`,
    `hooks.slack.com/triggers/${letters.slice(0, 44)}`,
    `webhook.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/${hex.slice(0, 32)}/${uuid}`,
    `fo1_${letters.slice(0, 43)}`,
    `A3-ABCDEF-GHJKLMNPQRS-TUVWX-YZ234-56789`,
    `dt0c01.${letters.slice(0, 24)}.${letters.slice(0, 64)}`,
    `pnu_${letters.slice(0, 36)}`,
    `shippo_live_${hex.slice(0, 40)}`,
    `ZXlK${letters.slice(0, 200)}`,
  ];
  for (const key of keys) assert.deepEqual(found(`see (${key}), thanks`), [key], key);
});

Deno.test("secrets leaves what stands in the place of a key", () => {
  for (
    const text of [
      "AKIAIOSFODNN7EXAMPLE",
      "AKIAXXXXXXXXXXXXXXXX",
      `ghp_${"x".repeat(36)}`,
      `glpat-${"X".repeat(20)}`,
      `hf_${"a".repeat(34)}`,
      `glc_${"1".repeat(40)}=`,
      "xoxe.xoxp-1-SlackAppConfigurationAccessTokenHere",
      "xoxb-xxxxxxxxx-xxxxxxxxxx-xxxxxxxxxxxx",
      "ABSKEXAMPLEEXAMPLE".padEnd(120, "EXAMPLE"),
    ]
  ) assert.deepEqual(found(text), [], text);
});

Deno.test("secretForms have bounded repetitions and no two alike", () => {
  const seen = secretForms.map(({ prefix, rest }) => `${prefix} ${rest}`);
  assert.equal(new Set(seen).size, seen.length);
  for (const { rest } of secretForms) assert.doesNotMatch(rest, /[^\\][*+](?![^[]*\])|\{\d+,\}/, rest);
});
