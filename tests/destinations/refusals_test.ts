/** Wrong settings of destinations and tag rules: each refusal names the field, what is wrong and what is allowed. */

import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import { managementApi } from "../../shared/management/api.ts";
import {
  type DestinationType,
  destinationTypes,
  filterFields,
  filterOperators,
} from "../../shared/observability/records.ts";
import { tagRuleFields, tagRuleOperators } from "../../shared/observability/tag_rule_fields.ts";
import { validate } from "../../shared/validation/validate.ts";
import { configSchemas } from "../../server/management/destinations/config_schemas.ts";
import type { Json } from "../support/event_stream.ts";
import { add, configs, SECRET } from "./destination_calls.ts";
import { destinationRig } from "./destination_rig.ts";

/** A value that a field must not have, and what is wrong with it. */
type Wrong = readonly [unknown, string];

/** Wrong for every field that is a text. */
const noTexts: readonly Wrong[] = [
  [5, "is a number"],
  [true, "is true"],
  [["a text"], "is a list"],
  [{ a: "text" }, "is an object"],
];

const noKeys: readonly Wrong[] = [
  ...noTexts,
  ["", "is empty"],
  ["***", "is ***, which stands for a value that is stored"],
  ["two words", "has a blank"],
  ["schlüssel", "has a character that is not printable ASCII"],
  ["k".repeat(4_001), "is 4001 characters long"],
];

const noAddresses: readonly Wrong[] = [
  ...noTexts,
  ["", "is empty"],
  ["nowhere at all", "is no address"],
  [`https://x.example/${"a".repeat(2_000)}`, "is 2018 characters long"],
  ["https://x.example/?***", "ends with ***, which stands for a query that is stored"],
];

const noHeaders: readonly Wrong[] = [
  [5, "is a number"],
  ["a: text", "is a text"],
  [[], "is a list"],
  [Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`X-${at}`, "v"])), "has 21 headers"],
  [{ "": "v" }, "has a header without a name"],
  [{ "Authorization: Bearer of-somebody": "v" }, "has a name with a character that none has"],
  [{ ["X".repeat(101)]: "v" }, "has a name of 101 characters"],
  [{ Host: "v" }, "has Host, which the gateway writes itself"],
  [{ "webhook-id": "v" }, "has webhook-id, which the gateway writes itself"],
  [{ "Tollgate-Signature": "v" }, "has Tollgate-Signature, which the gateway writes itself"],
  [{ "X-A": 5 }, "has a value of X-A that is a number"],
  [{ "X-A": null }, "has a value of X-A that is null"],
  [{ "X-A": "***" }, "has a value of X-A that is ***, which stands for a value that is stored"],
  [{ "X-A": "a\r\nb" }, "has a value of X-A that has a line break"],
  [{ "X-A": "wörter" }, "has a value of X-A that has a character that is not printable ASCII"],
  [{ "X-A": "v".repeat(4_001) }, "has a value of X-A that is 4001 characters long"],
];

const wrong: { readonly [T in DestinationType]: Readonly<Record<string, readonly Wrong[]>> } = {
  "webhook": {
    url: [[undefined, "is missing"], ...noAddresses],
    method: [...noTexts, ["GET", "is another text"], ["", "is another text"]],
    headers: noHeaders,
    signing_secret: [
      ...noTexts,
      ["", "is empty"],
      ["***", "is ***, which stands for a value that is stored"],
      ["of-somebody", "does not begin with whsec_"],
      ["whsec_c2hvcnQ=", "is not the base64 of so many bytes"],
      ["whsec_%%%%", "is not the base64 of so many bytes"],
    ],
  },
  "otel-collector": {
    endpoint: [[undefined, "is missing"], ...noAddresses],
    headers: noHeaders,
  },
  "s3": {
    bucketName: [
      [undefined, "is missing"],
      ...noTexts,
      ["", "is empty"],
      ["ab", "is 2 characters long"],
      ["b".repeat(64), "is 64 characters long"],
      ["Receipts", 'has the character "R"'],
      ["-receipts", "begins or ends with a dot or a hyphen"],
    ],
    prefix: [...noTexts, ["a b", 'has the character " "'], ["p".repeat(501), "is 501 characters long"]],
    pathTemplate: [
      ...noTexts,
      ["{prefix}/{apiKeyName}", "has {apiKeyName}, which is no variable"],
      ["{prefix/", "has a brace of no variable"],
      ["a/../b", "has two dots in a row"],
      ["a?b", 'has the character "?"'],
      ["p".repeat(501), "is 501 characters long"],
    ],
    region: [...noTexts, ["", "is empty"], ["EU", 'has the character "E"'], [
      "r".repeat(41),
      "is 41 characters long",
    ]],
    endpoint: [...noAddresses, ["https://s3.example/bucket", "has a path or a query"]],
    accessKeyId: [[undefined, "is missing"], ...noKeys],
    secretAccessKey: [[undefined, "is missing"], ...noKeys],
    sessionToken: noKeys,
    headers: noHeaders,
  },
};

/** Texts that a refusal must not repeat: they may be secrets. */
const textsOf = (value: unknown): readonly string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, one]) => [name, ...textsOf(one)]).filter((text) =>
      text.includes(" ")
    )
    : [value].filter((one) => typeof one === "string").filter((text) => text.length > 3);

Deno.test("each wrong field of a configuration is named, with what is wrong and what is allowed", async () => {
  await using rig = await destinationRig();
  for (const type of destinationTypes) {
    assert.deepEqual(Object.keys(wrong[type]).sort(), Object.keys(configSchemas[type].shape).sort());
    const sound = configs[type](rig.at.url);
    for (const [field, values] of Object.entries(wrong[type])) {
      for (const [value, what] of [...values, [null, "is null"] as const]) {
        const path = `config.${field}`;
        const name = `${type}, ${path}: ${JSON.stringify(value)}`;
        const config = { ...sound, [field]: value };
        await assert.rejects(add(rig, type, { config }), (error: Error) => {
          assert.ok(error instanceof ApiError, name);
          const says = `Cannot create destination: ${path} ${what}; allowed: `;
          assert.equal(error.message.slice(0, says.length), says, name);
          assert.ok(error.message.length > says.length, name);
          assert.equal(error.details.metadata?.path, path);
          for (const text of textsOf(value)) assert.ok(!error.message.includes(text), `${name} is repeated`);
          return true;
        });
      }
    }
    const unknown = add(rig, type, { config: { ...sound, more: SECRET } });
    const names = Object.keys(configSchemas[type].shape).join(", ");
    await assert.rejects(unknown, {
      message:
        `Cannot create destination: config.more is no field of a destination of type ${type}; allowed: ${names}`,
    });
  }
});

const rule = { field: "model", operator: "equals", value: "m" };
const inFilter = (...rules: readonly Json[]): Json => ({ filter_rules: { groups: [{ rules }] } });
const RULE = "filter_rules.groups[0].rules[0]";

/** Settings of a destination that its schema refuses, and the whole sentence. */
const settings: readonly (readonly [Json, string])[] = [
  [{ filter_rules: true }, "filter_rules is true; an object is expected"],
  [{ filter_rules: { groups: "all" } }, 'filter_rules.groups is "all"; an array is expected'],
  [
    { filter_rules: { more: 1, groups: [] } },
    "filter_rules.more is not a known key; allowed: enabled, groups",
  ],
  [{ filter_rules: { groups: [{}] } }, "filter_rules.groups[0].rules is missing; an array is expected"],
  [inFilter(), "filter_rules.groups[0].rules is empty"],
  [
    inFilter(...Array(21).fill(rule)),
    "filter_rules.groups[0].rules has 21 entries; at most 20 are allowed",
  ],
  [
    { filter_rules: { groups: [{ logic: "xor", rules: [rule] }] } },
    'filter_rules.groups[0].logic is "xor"; allowed: and, or',
  ],
  [
    { filter_rules: { groups: [{ rule, rules: [rule] }] } },
    "filter_rules.groups[0].rule is not a known key; allowed: logic, rules",
  ],
  [inFilter({ ...rule, more: 1 }), `${RULE}.more is not a known key; allowed: field, operator, value`],
  [
    inFilter({ ...rule, field: "input" }),
    `${RULE}.field is "input"; allowed: ${filterFields.join(", ")}`,
  ],
  [
    inFilter({ ...rule, operator: "like" }),
    `${RULE}.operator is "like"; allowed: ${filterOperators.join(", ")}`,
  ],
  [inFilter({ ...rule, value: true }), `${RULE}.value is true; allowed: a string or a number`],
  [inFilter({ ...rule, value: ["m"] }), `${RULE}.value is an array; allowed: a string or a number`],
  [
    inFilter({ ...rule, value: "m".repeat(501) }),
    `${RULE}.value is 501 characters long; at most 500 are allowed`,
  ],
  [{ sampling_rate: 0 }, "sampling_rate is 0; at least 0.0001 is needed"],
  [{ regions: ["asia"] }, 'regions[0] is "asia"; allowed: global, europe, us'],
  [
    { api_key_hashes: ["sk-somebody"] },
    "api_key_hashes[0] is no hash of a key; allowed: 64 of the digits 0-9 and a-f",
  ],
  [{ type: "kafka" }, 'type is "kafka"; allowed: webhook, otel-collector, s3'],
];

const condition = { field: "model", operator: "in", value: ["m"] };
const inRule = (more: Json): Json => ({ conditions: [{ ...condition, ...more }] });

/** The same of tag rules. */
const rules: readonly (readonly [Json, string])[] = [
  [{ conditions: "all" }, 'conditions is "all"; an array is expected'],
  [{ conditions: [] }, "conditions is empty"],
  [{ conditions: Array(11).fill(condition) }, "conditions has 11 entries; at most 10 are allowed"],
  [inRule({ more: 1 }), "conditions[0].more is not a known key; allowed: field, operator, value"],
  [
    inRule({ operator: "regex" }),
    `conditions[0].operator is "regex"; allowed: ${tagRuleOperators.join(", ")}`,
  ],
  [inRule({ field: "input" }), `conditions[0].field is "input"; allowed: ${tagRuleFields.join(", ")}`],
  [inRule({ value: true }), "conditions[0].value is true; allowed: a string or a number or an array"],
  [inRule({ value: {} }), "conditions[0].value is an object; allowed: a string or a number or an array"],
  [inRule({ value: [true] }), "conditions[0].value[0] is true; allowed: a string or a number"],
  [inRule({ value: [] }), "conditions[0].value is empty"],
  [inRule({ value: Array(101).fill("m") }), "conditions[0].value has 101 entries; at most 100 are allowed"],
  [inRule({ value: "m".repeat(501) }), "conditions[0].value is 501 characters long; at most 500 are allowed"],
  [
    inRule({ value: ["m".repeat(501)] }),
    "conditions[0].value[0] is 501 characters long; at most 500 are allowed",
  ],
  [{ tag: "" }, "tag is empty"],
  [{ tag: "t".repeat(51) }, "tag is 51 characters long; at most 50 are allowed"],
  [
    { tag: "With Space" },
    "tag has a character that no tag has; allowed: a-z, 0-9, and behind one of these also . _ : -",
  ],
];

Deno.test("each wrong setting, rule and condition is named, with what is wrong and what is allowed", () => {
  const destination = { type: "webhook", name: "One", config: {} };
  const tagRule = { name: "One", tag: "one", conditions: [condition] };
  const tables = [
    ["destinations.create", destination, settings],
    ["classifiers.create", tagRule, rules],
  ] as const;
  for (const [id, sound, cases] of tables) {
    assert.ok(validate(managementApi[id].body, sound).ok, id);
    for (const [more, says] of cases) {
      const checked = validate(managementApi[id].body, { ...sound, ...more });
      assert.ok(!checked.ok, JSON.stringify(more));
      assert.deepEqual(checked.faults.map(({ message }) => message), [says]);
    }
  }
});
