import assert from "node:assert/strict";
import { parseConfigFile } from "../config_file.ts";
import { ConfigError } from "../config_error.ts";

const aliases = {
  fast: "acme/llama",
  steady: ["acme/llama", "acme/other"],
  panel: ["acme/llama", "service/fusion"],
};
const parse = (file: object) => parseConfigFile("gate.jsonc", JSON.stringify({ aliases, ...file }));
const figures = { coding: 1, source: "own", date: "2026-11-01" };

/** Each place that takes an alias, with a name in it. */
const places = {
  default_model: (name: string) => ({ default_model: name }),
  "auto.default_models[1]": (name: string) => ({ auto: { default_models: ["acme/llama", name] } }),
  "auto.classifier": (name: string) => ({ auto: { classifier: name } }),
  "fusion.presets.general-fast.model": (name: string) => ({
    fusion: { presets: { "general-fast": { analysis_models: [name], model: name } } },
  }),
} as const;

for (const [place, fileWith] of Object.entries(places)) {
  Deno.test(`${place} takes an alias as it takes a model`, () => {
    for (const name of ["acme/llama", "fast", "steady", "steady:floor"]) parse(fileWith(name));
  });
}

const own = "a model id is author\\/slug, such as acme\\/llama";
const instead = "; it is an alias: name what it stands for$";

const refused: readonly (readonly [file: object, words: RegExp])[] = [
  [
    places.default_model("llama"),
    new RegExp(`^gate\\.jsonc: default_model is "llama": ${own}, or an alias of this`),
  ],
  [places.default_model("constructor"), /default_model is "constructor": a model id/],
  [places.default_model("no model"), /default_model is "no model": a model id/],
  [
    places["auto.default_models[1]"]("llama"),
    /auto\.default_models\[1\] is "llama": .*, or an alias of this file$/,
  ],
  [places["auto.classifier"]("slow"), /auto\.classifier is "slow": "local", or a model id .*, or an alias/],
  [places["auto.classifier"]("panel"), /auto\.classifier is "panel": it stands for a slug of fusion/],
  [
    places["auto.classifier"]("panel:floor"),
    /auto\.classifier is "panel:floor": it stands for a slug of fusion/,
  ],
  [{ aliases: { fast: "acme/llama", all: "fast" } }, new RegExp(`aliases\\.all is "fast": ${own}${instead}`)],
  [
    { aliases: { fast: "acme/llama", all: ["acme/other", "fast"] } },
    new RegExp(`aliases\\.all\\[1\\] is "fast": ${own}${instead}`),
  ],
  [{ models: [{ id: "fast" }] }, new RegExp(`models\\[0\\]\\.id is "fast": ${own}${instead}`)],
  [{ models: [{ id: "quick" }] }, new RegExp(`models\\[0\\]\\.id is "quick": ${own}$`)],
  [{ scores: { fast: figures } }, new RegExp(`scores\\.fast is .*: ${own}${instead}`)],
];

for (const [file, words] of refused) {
  Deno.test(`the configuration file may not have ${JSON.stringify(file)}`, () => {
    assert.throws(() => parse(file), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, words);
      return true;
    });
  });
}
