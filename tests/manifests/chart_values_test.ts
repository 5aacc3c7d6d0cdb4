/** The chart without Helm: its values, their schema, its versions, and what its templates read. */

import assert from "node:assert/strict";
import { Ajv } from "ajv";
import { parse } from "yaml";
import * as z from "zod";
import { limitsSchema } from "../../server/config/limits.ts";
import { root } from "../support/task.ts";
import { chartFile, chartFolder, type Values } from "./chart_folder.ts";
import { exampleConfig, releases, shownValues } from "./chart_releases.ts";
import { valuesSchemaText } from "./chart_values.ts";

const record = z.record(z.string(), z.unknown());
const values = record.parse(parse(await chartFile("values.yaml")));
const schema = record.parse(JSON.parse(await chartFile("values.schema.json")));
const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);

/** Places of what the schema does not take. */
function faultsOf(some: Values): readonly string[] {
  validate(some);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const templates = await Promise.all(
  [...Deno.readDirSync(`${chartFolder}/templates`)].map(async ({ name }) => ({
    name,
    text: await chartFile(`templates/${name}`),
  })),
);

Deno.test("values.schema.json is what the gateway's settings make", async () => {
  assert.equal(await chartFile("values.schema.json"), valuesSchemaText(), "run deno task build");
});

Deno.test("the schema takes values.yaml, the project's examples and the releases of the tests", async () => {
  assert.deepEqual(faultsOf(values), []);
  assert.deepEqual(faultsOf(await shownValues()), []);
  assert.deepEqual(faultsOf({ ...values, config: exampleConfig }), []);
  for (const [name, release] of Object.entries(releases)) {
    assert.deepEqual(faultsOf(release.values), [], name);
  }
});

const refused: readonly (readonly [Values, RegExp])[] = [
  [{ replica: 3 }, /additional properties/],
  [{ store: "sqlite" }, /\/store must be equal to one of/],
  [{ image: { tag: 1 } }, /\/image\/tag must be string/],
  [{ settings: { TOLLGATE_TRUST_PROX: 1 } }, /\/settings must NOT have additional/],
  [{ settings: { OPENAI_API_KEY: "sk-1" } }, /\/settings must NOT have additional/],
  [{ settings: { TOLLGATE_STORE: "postgres://a:b@c/d" } }, /\/settings must NOT have additional/],
  [{ settings: { TOLLGATE_DATA: "/elsewhere" } }, /\/settings must NOT have additional/],
  [{ settings: { TOLLGATE_FAULT_LAB: "yes" } }, /\/settings\/TOLLGATE_FAULT_LAB /],
  [{ secrets: { values: { TOLLGATE_MASTERKEY: "x" } } }, /\/secrets\/values property name/],
  [{ secrets: { values: { OPENAI_API_KEY: "" } } }, /\/secrets\/values\/OPENAI_API_KEY /],
  [{ secrets: { existing: { OPENAI_API_KEY: "providers" } } }, /\/secrets\/existing\/OPENAI_API_KEY /],
  [{ secrets: { existing: { OPENAI_API_KEY: { key: "openai" } } } }, /required property 'name'/],
  [{ config: { limits: { drain_second: 30 } } }, /\/config\/limits must NOT have additional/],
  [{ config: { providers: [{ id: "acme", base_uri: "http://a" }] } }, /\/config\/providers\/0 /],
  [{ config: { sandbox: { spare: true } } }, /\/config\/sandbox\/spare /],
  [{ persistence: { accessMode: "ReadWriteMany" } }, /\/persistence\/accessMode /],
  [{ persistence: { size: "ten" } }, /\/persistence\/size /],
  [{ service: { port: 0 } }, /\/service\/port /],
  [{ resources: "small" }, /\/resources must be object/],
];

Deno.test("the schema refuses what is misspelled, of another kind, or a secret among the settings", () => {
  for (const [wrong, words] of refused) {
    assert.match(faultsOf(wrong).join("\n"), words, JSON.stringify(wrong));
  }
});

Deno.test("the schema has only patterns that Helm's regular expressions can read", () => {
  const patterns = JSON.stringify(schema).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g);
  const texts = [...patterns].map(([, text = ""]) => z.string().parse(JSON.parse(text)));
  assert(texts.length > 0);
  for (const text of texts) assert.doesNotMatch(text, /\(\?<?[=!]|\\[1-9]|\\[uc]|\\k</, text);
});

/** Places of all values, as `image.repository`; free objects are one value. */
function placesOf(some: unknown, place = ""): readonly string[] {
  const { data = {} } = record.safeParse(some);
  const isWhole = Object.keys(data).length === 0 || /Context$|^resources/.test(place);
  if (place !== "" && isWhole) return [place];
  return Object.entries(data).flatMap(([key, inner]) =>
    placesOf(inner, place === "" ? key : `${place}.${key}`)
  );
}

const places = placesOf(values);

Deno.test("templates read no value that values.yaml lacks, and each that it has", () => {
  const text = templates.map((one) => one.text).join("\n");
  const read = new Set([...text.matchAll(/\.Values\.([\w.]*\w)/g)].map(([, place = ""]) => place));
  const isRead = (place: string) =>
    read.has(place) || [...read].some((one) => place.startsWith(`${one}.`) || one.startsWith(`${place}.`));
  const isThere = (place: string) =>
    places.includes(place) ||
    places.some((one) => one.startsWith(`${place}.`) || place.startsWith(`${one}.`));
  assert.deepEqual([...read].filter((place) => !isThere(place)), []);
  assert.deepEqual(places.filter((place) => !isRead(place)), []);
});

Deno.test("templates include only definitions that exist, and each of them", () => {
  const text = templates.map((one) => one.text).join("\n");
  const namesIn = (pattern: RegExp) =>
    [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))].toSorted();
  assert.deepEqual(namesIn(/include "([\w.]+)"/g), namesIn(/define "([\w.]+)"/g));
});

Deno.test("the chart has the version of the gateway", async () => {
  const version = z.object({ version: z.string(), appVersion: z.string() });
  const chart = version.parse(parse(await chartFile("Chart.yaml")));
  const manifest = z.object({ version: z.string() });
  const product = manifest.parse(JSON.parse(await Deno.readTextFile(new URL("deno.json", root))));
  assert.deepEqual([chart.version, chart.appVersion], [product.version, product.version]);
  const dockerfile = await Deno.readTextFile(new URL("deploy/Dockerfile", root));
  assert(dockerfile.includes(`ARG VERSION=${product.version}\n`));
});

Deno.test("the templates know the drain that the gateway has where nothing is set", () => {
  const usual = `dig "limits" "drain_seconds" ${limitsSchema.parse({}).drain_seconds} .Values.config`;
  const read = templates.flatMap(({ text }) => text.match(/dig [^}|]*\.Values\.config/g) ?? []);
  assert.deepEqual(new Set(read), new Set([usual]));
});
