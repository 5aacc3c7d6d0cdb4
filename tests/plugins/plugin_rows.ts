/** Each plugin in a request, and how to see that it did its work, wherever it is asked. */

import assert from "node:assert/strict";
import { asObject, type Json } from "../support/event_stream.ts";
import { says, type Turns } from "../server_tools/rig.ts";
import { hits, type WebOptions, type WebRig } from "../server_tools/web_rig.ts";
import { question } from "./documents_rig.ts";
import { type Api, paramsOf, type PluginAnswer, stagesOf } from "./rig.ts";

/** One plugin, and how to see that it did its work. */
export interface PluginRow {
  /** Its id, and a word where a plugin has several rows. */
  readonly name: string;
  readonly web?: WebOptions;
  /** Fields of the request; a function of the API where it has forms of its own. */
  readonly fields: (rig: WebRig, api: Api) => Json & { readonly text: unknown };
  /** Answers of the wires' models. */
  readonly turns?: Turns;
  /** Holds wherever it is asked. `body`: what the provider took; absent at the built-in model. */
  readonly check: (
    answer: PluginAnswer,
    at: { readonly rig: WebRig; readonly api: Api; readonly body?: Json },
  ) => void;
}

/** A router beside a model that is named: it has nothing to choose, and is named. */
const idle = (id: string, slug: string): PluginRow => ({
  name: id,
  fields: () => ({ text: "Hi", plugins: [{ id }] }),
  check: (answer) =>
    assert.deepEqual(paramsOf(answer).dropped, [`plugin ${id}: no model of the request is ${slug}`]),
});

/** Not run: it is named, and nothing else changes. */
const unbuilt = (id: string): PluginRow => ({
  name: id,
  fields: () => ({ text: "Hi", plugins: [{ id }] }),
  check: (answer) => assert.deepEqual(paramsOf(answer).dropped, [`plugin ${id}`]),
});

/** The built-in model writes JSON without faults. */
const healing: PluginRow = {
  name: "response-healing",
  fields: () => ({ text: "Who?", schema: personSchema, plugins: [{ id: "response-healing" }] }),
  turns: () => [says("Here you are:\n```json\n{'name': 'Ada', age: 36,}\n```")],
  check: (answer, { body }) => {
    const read = asObject(JSON.parse(answer.text));
    assert.deepEqual(Object.keys(read), ["name", "age"]);
    const [stage] = stagesOf(answer);
    if (body === undefined) return assert.equal(stage, undefined);
    assert.deepEqual(read, { name: "Ada", age: 36 });
    assert.equal(stage?.type, "response_healing");
    assert.equal(asObject(stage.data).improved, true);
  },
};

const personSchema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
};

const moderation: PluginRow = {
  name: "moderation",
  web: { gateway: { file: { moderation: { wire: "openai", model: "local/moderator" } } } },
  fields: () => ({ text: "A kind word", plugins: [{ id: "moderation" }] }),
  check: (answer) => {
    assert.deepEqual(answer.metadata.pipeline, []);
    assert.equal(answer.metadata.notes, undefined);
    assert.ok(answer.text.length > 0);
  },
};

const contextCompression: PluginRow = {
  name: "context-compression",
  web: { model: { context_length: 4_000 } },
  fields: () => ({ text: "abc def ghi jkl ".repeat(1_250), plugins: [{ id: "context-compression" }] }),
  check: (answer, { body }) => {
    const stages = stagesOf(answer).map(({ type, name, data }) => [type, name, data]);
    // It fits into the context of the built-in model.
    if (body === undefined) return assert.deepEqual(stages, []);
    const data = {
      engine: "middle-out",
      input_type: "messages",
      original_count: 1,
      compressed_count: 1,
      shortened_count: 1,
    };
    assert.deepEqual(stages, [["context_compression", "context-compression", data]]);
    assert.match(JSON.stringify(body), /\[\.\.\. \d+ characters left out \.\.\.\]/);
  },
};

/** Emoji and combining characters stand before each citation: offsets count UTF-16 units. */
const CITING = "👩‍👩‍👧 é See [One](https://a.example/one), [2] and list[1]; https://b.example/two?x=1.";
const cited = ["[One](https://a.example/one)", "https://b.example/two?x=1", "[2]"];
const citedPages = ["https://a.example/one", "https://b.example/two?x=1#y", "https://b.example/two?x=1#y"];

const ships = new TextEncoder().encode("ship,length\nAlba,12 m\n");

/** The built-in model takes files itself. */
const fileParser: PluginRow = {
  name: "file-parser",
  web: { model: { input_modalities: ["text"] } },
  fields: (_, api) => ({ text: question(api, [{ name: "ships.csv", type: "text/csv", bytes: ships }]) }),
  check: (answer, { body }) => {
    const stages = stagesOf(answer).map(({ type, name, data }) => [type, name, data]);
    if (body === undefined) return assert.deepEqual(stages, []);
    assert.deepEqual(stages, [["plugin", "file-parser", { files: 1, pages: 0, engine: "local" }]]);
    assert.match(
      JSON.stringify(body),
      /<file name=\\"ships\.csv\\">\\nship,length\\nAlba,12 m\\n\\n<\/file>/,
    );
    assert.equal(answer.text, "Done.");
  },
};

/** Plugins that do something. */
export const actingPlugins: readonly PluginRow[] = [
  moderation,
  fileParser,
  healing,
  contextCompression,
  {
    name: "web-fetch",
    web: { pages: (path) => new Response(`Text of ${path}`, { headers: { "content-type": "text/plain" } }) },
    fields: ({ site }) => ({ text: `Read ${site}/a and ${site}/b.`, plugins: [{ id: "web-fetch" }] }),
    check: ({ metadata: { pipeline } }, { body }) => {
      assert.match(JSON.stringify(pipeline), /"name":"web-fetch","summary":"Fetched 2 of 2 pages\."/);
      if (body === undefined) return;
      const sent = JSON.stringify(body);
      for (const text of ["Text of /a", "Text of /b"]) assert(sent.includes(text), text);
    },
  },
  {
    name: "web",
    fields: () => ({ text: CITING, plugins: [{ id: "web" }] }),
    turns: () => [says(CITING)],
    check: ({ text, citations, metadata: { pipeline } }, { api, body }) => {
      assert(text.endsWith(CITING), text);
      assert.deepEqual(
        citations.map(({ url, url_citation: nested }) => url ?? asObject(nested).url),
        citedPages,
      );
      if (api !== "messages") {
        const places = citations.map((one) => api === "chat" ? asObject(one.url_citation) : one);
        const named = places.map((one) => text.slice(Number(one.start_index), Number(one.end_index)));
        assert.deepEqual(named, cited);
        assert.deepEqual(places.map(({ content }) => content), [0, 1, 1].map((at) => hits[at]?.text));
      }
      assert.match(JSON.stringify(pipeline), /"name":"web-search","summary":"Searched the web with Exa/);
      if (body === undefined) return;
      const sent = JSON.stringify(body);
      assert(sent.indexOf("The first 😀 text") > 0, "the results were sent");
    },
  },
];

/** Plugins that have nothing to do beside a model that is named, or are not run. */
export const idlePlugins: readonly PluginRow[] = [
  idle("auto-router", "openrouter/auto"),
  idle("auto-beta-router", "openrouter/auto-beta"),
  idle("pareto-router", "openrouter/pareto-code"),
  unbuilt("switchyard-router"),
];
