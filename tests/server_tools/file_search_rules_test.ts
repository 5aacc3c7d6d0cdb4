/** Options of `file_search`, each API, endpoints that search their own stores, and who may search what. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { createKey, managed } from "../support/manage.ts";
import { quickReaderRig } from "../support/quick_reader.ts";
import type { Keeper } from "../../server/sandbox/keeper/keeper.ts";
import { addFile, search, searchTool, withFiles } from "./file_search_rig.ts";
import { apis, calls, itemsOf, says, send, upstreamWires, wholeOf, withTools } from "./rig.ts";

const input = "Find it.";
const queries = ["llamas"];
const asks = calls("file_search", { args: { queries } });

Deno.test("options of file_search that cannot be used are 400 with their path, in every spelling", async () => {
  await withFiles({}, async ({ gateway }) => {
    const deep = { type: "and", filters: [{ type: "or", filters: [{ type: "eq", key: "filename" }] }] };
    const eq = { type: "eq", key: "bytes", value: 1 };
    const nested = Array.from({ length: 9 }).reduce<Json>(
      (filters) => ({ type: "and", filters: [filters] }),
      eq,
    );
    const wrong: readonly (readonly [Json, string])[] = [
      [{ max_num_results: 51 }, "max_num_results"],
      [{ max_num_results: 0 }, "max_num_results"],
      [{ ranking_options: { score_threshold: 2 } }, "ranking_options.score_threshold"],
      [{ ranking_options: { score_threshold: "high" } }, "ranking_options.score_threshold"],
      [{ filters: { type: "eq", value: 1 } }, "filters.key"],
      [{ filters: { type: "in", key: "filename", value: "a" } }, "filters.value"],
      [{ filters: { type: "and", filters: [] } }, "filters.filters"],
      [{ filters: deep }, "filters.filters[0].filters[0].value"],
      [{ filters: nested }, "is nested more than 8 levels deep"],
      [{ filters: { type: "or", filters: Array.from({ length: 200 }, () => eq) } }, "more than 200 filters"],
      [{ vector_store_ids: [] }, "vector_store_ids"],
      [{ vector_store_ids: Array.from({ length: 101 }, () => "workspace") }, "vector_store_ids"],
    ];
    for (const [more, path] of wrong) {
      for (const type of ["file_search", "service:file_search", "openrouter:file_search"]) {
        const body = { model: "mock/chat", input, tools: [{ ...searchTool(), ...more, type }] };
        const sent = await send(gateway, { body });
        assert.equal(sent.status, 400, sent.text);
        assert.ok(sent.text.includes(path) && sent.text.includes("tools[0]"), sent.text);
      }
    }
  });
});

Deno.test("file_search holds its filters, its threshold and the number of its results", async () => {
  await withFiles({}, async (rig) => {
    const { gateway } = rig;
    for (const name of ["a.md", "b.txt", "c.csv"]) {
      await addFile(gateway, {
        name,
        text: name === "c.csv" ? "animal,count\nllamas,3\n" : `# ${name}\n\nLlamas, and more.\n`,
      });
    }
    const names = async (more: Json) =>
      (await search(rig, { queries: ["llamas here"], tool: searchTool(more) })).results
        .map(({ filename }) => String(filename)).toSorted();
    const is = (type: string, [key, value]: readonly [string, unknown]) => ({ type, key, value });
    assert.deepEqual(await names({}), ["a.md", "b.txt", "c.csv"]);
    assert.deepEqual(await names({ filters: is("eq", ["mime_type", "text/csv"]) }), ["c.csv"]);
    assert.deepEqual(await names({ filters: is("nin", ["filename", ["a.md", "c.csv"]]) }), ["b.txt"]);
    const both = [is("gte", ["created_at", "2020-01-01"]), is("ne", ["filename", "b.txt"])];
    assert.deepEqual(await names({ filters: { type: "and", filters: both } }), ["a.md", "c.csv"]);
    assert.deepEqual(await names({ filters: is("eq", ["__proto__", "x"]) }), []);
    assert.deepEqual(await names({ ranking_options: { score_threshold: 1 } }), []);
    assert.equal((await names({ max_num_results: 2 })).length, 2);
  });
});

Deno.test("weights of a search by meaning have no effect, and the metadata says so", async () => {
  await withFiles({}, async ({ gateway, plan }) => {
    await addFile(gateway, { name: "a.md", text: "Llamas." });
    plan((turn) => turn === 0 ? [asks] : [says("Done.")]);
    const ranking_options = { ranker: "auto", hybrid_search: { embedding_weight: 1, text_weight: 0 } };
    const body = { model: "mock/chat", input, tools: [searchTool({ ranking_options })] };
    const headers = { "x-service-metadata": "enabled" };
    const { service_metadata } = wholeOf(await send(gateway, { body, headers }));
    const stages = asList(asObject(service_metadata).pipeline).map(asObject);
    assert.deepEqual(stages.find(({ name }) => name === "file_search")?.data, {
      searched: 1,
      without_effect: ["ranking_options.hybrid_search"],
    });
  });
});

Deno.test("file_search is run on each API, and its items bring call and result back", async () => {
  await withFiles({}, async ({ gateway, plan, taken }) => {
    await addFile(gateway, { name: "a.md", text: "Llamas are sheared in spring." });
    for (const api of apis) {
      plan((turn) => turn === 0 ? [asks] : [says("In spring [F1].")]);
      const text = api === "responses" ? { input } : { messages: [{ role: "user", content: input }] };
      const tools = [{ ...searchTool(), type: "openrouter:file_search" }];
      const body = { model: "mock/chat", ...text, tools, max_tokens: api === "messages" ? 300 : undefined };
      const sent = await send(gateway, { api, body });
      assert.equal(sent.status, 200, sent.text);
      assert.ok(JSON.stringify(taken("chat").at(-1)).includes("sheared in spring"), api);
      if (api === "chat") {
        const [choice] = asList(wholeOf(sent).choices).map(asObject);
        const [{ type, file_citation } = {}] = asList(asObject(choice?.message).annotations).map(asObject);
        assert.deepEqual([type, asObject(file_citation).filename, asObject(file_citation).index], [
          "file_citation",
          "a.md",
          14,
        ]);
      }
      if (api !== "responses") continue;
      const output = itemsOf(wholeOf(sent));
      assert.equal(output[0]?.type, "openrouter:file_search");
      for (const wire of upstreamWires) {
        plan(() => [says("As I said.")]);
        const again = [{ role: "user", content: input }, ...output, { role: "user", content: "Sure?" }];
        await send(gateway, { body: { model: `mock/${wire}`, input: again, tools } });
        const told = JSON.stringify(taken(wire)[0]);
        assert.ok(told.includes("sheared in spring") && told.includes("llamas"), `${wire}: ${told}`);
      }
    }
  });
});

Deno.test("items of file_search bring their results back under OpenAI's name too, on every wire", async () => {
  await withFiles({}, async ({ gateway, plan, taken }) => {
    await addFile(gateway, { name: "a.md", text: "Llamas are sheared in spring." });
    plan((turn) => turn === 0 ? [asks] : [says("In spring.")]);
    const tools = [searchTool()];
    const output = itemsOf(wholeOf(await send(gateway, { body: { model: "mock/chat", input, tools } })));
    for (const wire of upstreamWires) {
      plan(() => [says("As I said.")]);
      const again = [{ role: "user", content: input }, ...output, { role: "user", content: "Sure?" }];
      await send(gateway, { body: { model: `mock/${wire}`, input: again, tools } });
      assert.ok(JSON.stringify(taken(wire)[0]).includes("sheared in spring"), wire);
    }
  });
});

Deno.test("stores of a provider go to a provider that searches them, and files of the gateway never do", async () => {
  await withFiles(
    { model: { pricing: { prompt: "0.000001", completion: "0.000002", file_search: "0" } } },
    async (rig) => {
      const { gateway, plan, taken } = rig;
      await addFile(gateway, { name: "a.md", text: "Llamas." });
      for (const type of ["file_search", "service:file_search"]) {
        plan(() => [says("Hi.")]);
        const tools = [{ type, vector_store_ids: ["vs_1"] }];
        await send(gateway, { body: { model: "mock/responses", input, tools } });
        assert.deepEqual(taken("responses")[0]?.tools, [{ type: "file_search", vector_store_ids: ["vs_1"] }]);
        plan((turn) => turn === 0 ? [asks] : [says("Hi.")]);
        const ours = [{ ...searchTool(), type }];
        const sent = await send(gateway, { body: { model: "mock/responses", input, tools: ours } });
        assert.equal(sent.status, 200, sent.text);
        const [offered] = asList(taken("responses")[0]?.tools).map(asObject);
        assert.deepEqual([offered?.type, offered?.name], ["function", "file_search"]);
      }
    },
  );
});

Deno.test("a workspace that has disabled file_search does not run it, before a request and within one", async () => {
  await using reader = quickReaderRig();
  let onIndexing = () => Promise.resolve();
  const run: Keeper["run"] = async (program, options) => {
    await onIndexing();
    return await reader.keeper.run(program, options);
  };
  await withTools({ keeper: { ...reader.keeper, run } }, async ({ gateway, plan }) => {
    await addFile(gateway, { name: "a.md", text: "Llamas are sheared in spring." });
    const change = { call: "PATCH /workspaces/default", body: { disabled_server_tools: ["file_search"] } };
    onIndexing = async () => assert.equal((await managed(gateway, change)).status, 200);
    plan((turn) =>
      turn < 2 ? [calls("file_search", { args: { queries }, id: `call_${turn}` })] : [says("Hi.")]
    );
    const body = { model: "mock/chat", input, tools: [searchTool()] };
    const [first, second] = itemsOf(wholeOf(await send(gateway, { body })));
    assert.match(String(first?.output), /sheared in spring/);
    assert.match(String(second?.output), /disabled the server tool file_search/);
    for (const type of ["file_search", "openrouter:file_search"]) {
      const sent = await send(gateway, { body: { ...body, tools: [{ ...searchTool(), type }] } });
      assert.equal(sent.status, 403, sent.text);
    }
  });
});

Deno.test("guardrails read what file_search found, as a text that a tool brought", async () => {
  await withFiles({}, async ({ gateway, plan }) => {
    const { body } = await managed(gateway, { call: "POST /workspaces", body: { name: "lab", slug: "lab" } });
    const { id, default_guardrail_id } = asObject(body.data);
    const content_filters = [{ pattern: "sheared", action: "block", label: "WORD" }];
    await managed(gateway, { call: `PATCH /guardrails/${default_guardrail_id}`, body: { content_filters } });
    const { key } = await createKey(gateway, { workspace_id: id });
    await addFile(gateway, { name: "a.md", text: "Llamas are sheared in spring.", token: key });
    for (const stream of [false, true]) {
      plan((turn) => turn === 0 ? [asks] : [says("Hi.")]);
      const sent = await send(gateway, {
        key,
        body: { model: "mock/chat", input, tools: [searchTool()], stream },
      });
      assert.ok(
        sent.text.includes("A guardrail blocked the result of the server tool file_search"),
        sent.text,
      );
    }
  });
});

Deno.test("explain tells of a request that searches files, and reads none", async () => {
  await withTools({}, async ({ gateway }) => {
    await addFile(gateway, { name: "a.md", text: "Llamas." });
    const key = await gateway.addKey({ kind: "api", limit: 100 });
    for (const wire of upstreamWires) {
      const response = await fetch(`${gateway.url}/v1/route/explain`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: `mock/${wire}`, input, tools: [searchTool()] }),
      });
      const { reservation } = asObject(await response.json());
      assert.deepEqual([response.status, asObject(reservation).would_be], [200, "allowed"], wire);
    }
  });
});

Deno.test("without a place for files, file_search is left out and says how that is mended", async () => {
  await withTools({ blobs: null }, async ({ gateway, plan }) => {
    plan(() => [says("Hi.")]);
    const body = { model: "mock/chat", input, tools: [searchTool()] };
    const sent = await send(gateway, { body });
    assert.equal(
      sent.headers.get("x-tollgate-notes"),
      "file_search is left out: this gateway has no engine for it. It has no place for files: TOLLGATE_BLOBS is off.",
    );
  });
});
