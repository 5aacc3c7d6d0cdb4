/** Configuration files that cannot be in force, each with the place that its error names and what it says there. */

import type { Json } from "../support/event_stream.ts";

type BadFile = readonly [name: string, file: Json | string, sentence: RegExp];

const provider = (changes: Json = {}): Json => ({
  id: "acme",
  wire: "chat",
  base_url: "https://api.acme.example/v1",
  ...changes,
});
const withProvider = (changes: Json): Json => ({ providers: [provider(changes)] });
const withModel = (model: Json): Json => withProvider({ models: [{ id: "acme/llama", ...model }] });
const withLimit = (limits: Json): Json => ({ limits });

/** Faults of JSON, of a field, and of fields together. */
export const badFiles: readonly BadFile[] = [
  ["nothing at all", "", /test\.jsonc, line 1, column 1: this is not JSON with comments/],
  ["half a file", '{\n  "providers": [', /test\.jsonc, line 2, column \d+: this is not JSON with comments/],
  ["a comma too few", '{\n  "limits": {}\n  "aliases": {}\n}', /line 3, column 3: .*comma expected/],
  ["a quote too few", '{ "aliases: {} }', /line 1, column \d+: this is not JSON/],
  ["text behind it", "{} {}", /line 1, column 4: /],
  ["a list", "[]", /the file is \[\]: expected object/],
  ["a number", "7", /the file is 7: expected object/],
  ["an unknown key", { provders: [] }, /provders is unknown: .*providers/],
  ["an unknown key of a provider", withProvider({ baseurl: "x" }), /providers\[0\]\.baseurl is unknown/],
  ["an unknown key of a model", withModel({ prise: {} }), /providers\[0\]\.models\[0\]\.prise is unknown/],
  ["an unknown limit", withLimit({ drain: 5 }), /limits\.drain is unknown/],
  ["providers that are no list", { providers: {} }, /providers is \{\}: expected array/],
  ["no id", { providers: [{ wire: "chat", base_url: "http://a.example" }] }, /providers\[0\]\.id is missing/],
  ["no address", { providers: [{ id: "acme", wire: "chat" }] }, /providers\[0\]\.base_url is missing/],
  [
    "no wire",
    { providers: [{ id: "acme", base_url: "http://a.example" }] },
    /providers\[0\]\.wire is missing/,
  ],
  ["an id with blanks", withProvider({ id: "a b" }), /providers\[0\]\.id is "a b": lower-case letters/],
  ["an id twice", { providers: [provider(), provider()] }, /providers\[1\]\.id is "acme" a second time/],
  ["a wire that is none", withProvider({ wire: "soap" }), /providers\[0\]\.wire is "soap": expected one of/],
  [
    "an address that is none",
    withProvider({ base_url: "acme" }),
    /providers\[0\]\.base_url is "acme": an http/,
  ],
  [
    "an address with a password",
    withProvider({ base_url: "https://a:b@acme.example" }),
    /providers\[0\]\.base_url is .*: an http or https address without user/,
  ],
  ["a key where its name belongs", withProvider({ api_key_env: "sk-1 2" }), /api_key_env is not allowed/],
  [
    "a key that is not set",
    withProvider({ api_key_env: "GONE_KEY" }),
    /api_key_env is GONE_KEY, which is not set/,
  ],
  [
    "two settings of keys",
    withProvider({ api_key_env: "MOCK_KEY", api_keys_env: ["MOCK_KEY"] }),
    /providers\[0\] has api_key_env and api_keys_env: allowed is one of them/,
  ],
  [
    "a key twice",
    withProvider({ api_keys_env: ["MOCK_KEY", "MOCK_KEY"] }),
    /providers\[0\]\.api_keys_env\[1\] is MOCK_KEY a second time/,
  ],
  [
    "one key of two that is not set",
    withProvider({ api_keys_env: ["MOCK_KEY", "GONE_KEY"] }),
    /providers\[0\]\.api_keys_env\[1\] is GONE_KEY, which is not set/,
  ],
  ["no key at all", withProvider({ api_keys_env: [] }), /providers\[0\]\.api_keys_env is not allowed/],
  ["a header with a line", withProvider({ headers: { "x-a": "1\n2" } }), /headers\.x-a is not allowed/],
  [
    "a model without author",
    withProvider({ models: [{ id: "llama" }] }),
    /models\[0\]\.id is "llama": a model id/,
  ],
  [
    "a model twice",
    withProvider({ models: [{ id: "acme/llama" }, { id: "acme/llama" }] }),
    /providers\[0\]\.models\[1\]\.id is "acme\/llama" a second time/,
  ],
  ["a price that is a number", withModel({ pricing: { prompt: 1 } }), /pricing\.prompt is 1: /],
  [
    "a price below zero",
    withModel({ pricing: { prompt: "-1", completion: "1" } }),
    /pricing\.prompt is "-1"/,
  ],
  ["a context of nothing", withModel({ context_length: 0 }), /models\[0\]\.context_length is 0/],
  ["a trait that is none", withModel({ traits: ["fast"] }), /models\[0\]\.traits\[0\] is "fast"/],
  ["an alias to no id", { aliases: { fast: "llama" } }, /aliases\.fast is "llama": a model id/],
  ["a default that is no id", { default_model: "llama" }, /default_model is "llama": a model id/],
  [
    "a default that nobody serves",
    { default_model: "no/body" },
    /default_model is "no\/body", which no provider/,
  ],
  ["a catalog that is gone", { catalog: { file: "gone.json" } }, /catalog\.file is "gone\.json", which/],
  ["a limit below zero", withLimit({ attempts: -1 }), /limits\.attempts is -1/],
  ["a limit that is a text", withLimit({ attempts: "4" }), /limits\.attempts is "4"/],
  [
    "a host with a scheme",
    { fetch: { allowed_hosts: ["http://a"] } },
    /fetch\.allowed_hosts\[0\] is "http:\/\/a"/,
  ],
  [
    "a header that is not set",
    { fetch: { header_env: ["GONE"] } },
    /fetch\.header_env\[0\] is GONE, which is not/,
  ],
  ["a search engine that is none", { search: { gopher: {} } }, /search\.gopher is/],
  ["a moderation without model", { moderation: { wire: "policy" } }, /moderation\.\w+ is missing/],
  [
    "a score above the scale",
    { scores: { "acme/llama": { coding: 101 } } },
    /scores\.acme\/llama\.coding is 101/,
  ],
  [
    "a router's default that is none",
    { auto: { default_models: ["llama"] } },
    /auto\.default_models\[0\] is/,
  ],
  ["a correction without id", { models: [{ name: "Llama" }] }, /models\[0\]\.id is missing/],
];
