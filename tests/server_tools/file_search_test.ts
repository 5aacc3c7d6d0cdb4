/** The tool `file_search` on each API: what it finds, what the client sees, and which files it may search. */

import assert from "node:assert/strict";
import { receiptOf } from "../money/rig.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { answerOf } from "./answered_turn.ts";
import { addFile, search, searchTool, withFiles } from "./file_search_rig.ts";
import { apis, calls, eventsOf, itemsOf, says, send, upstreamWires, wholeOf } from "./rig.ts";

const llamas = { name: "llamas.md", text: "# Llamas\n\nLlamas are sheared in spring.\n" };
const boats = { name: "boats.md", text: "# Boats\n\nBoats are painted in autumn.\n" };
const input = "When?";
const asks = calls("file_search", { args: { queries: ["when to shear a llama"] } });

Deno.test("file_search finds a text of the workspace, and the answer cites it", async () => {
  await withFiles({}, async ({ gateway, plan, taken }) => {
    const id = await addFile(gateway, llamas);
    await addFile(gateway, boats);
    for (const wire of upstreamWires) {
      plan((turn) => turn === 0 ? [asks] : [says("In spring [F1], not [F2].")]);
      const body = { model: `mock/${wire}`, input, tools: [searchTool()] };
      const items = itemsOf(wholeOf(await send(gateway, { body }))).filter(({ type }) =>
        type !== "reasoning"
      );
      const [call = {}, message = {}] = items;
      assert.equal(call.type, "file_search_call");
      assert.deepEqual([call.status, call.queries, call.results], [
        "completed",
        ["when to shear a llama"],
        undefined,
      ]);
      const [part] = Array.isArray(message.content) ? message.content.map(asObject) : [];
      assert.deepEqual(part?.annotations, [{
        type: "file_citation",
        file_id: id,
        filename: "llamas.md",
        index: 14,
      }]);
      const told = JSON.stringify(taken(wire).at(-1));
      assert.ok(told.includes("Llamas are sheared in spring.") && told.includes("0-39"), told);
      assert.ok(!told.includes("Boats are painted"), told);
    }
  });
});

Deno.test("file_search shows its results to those who ask for them, and its progress", async () => {
  await withFiles({}, async ({ gateway, plan }) => {
    const id = await addFile(gateway, llamas);
    plan((turn) => turn === 0 ? [asks] : [says("In spring.")]);
    const include = ["file_search_call.results"];
    const body = { model: "mock/chat", input, tools: [searchTool()], include, stream: true };
    const events = eventsOf(await send(gateway, { body }));
    const types = events.map(({ type }) => String(type)).filter((type) => type.includes("file_search"));
    assert.deepEqual(
      types,
      ["in_progress", "searching", "completed"].map((word) => `response.file_search_call.${word}`),
    );
    const done = events.find(({ type }) => type === "response.output_item.done");
    const [result = {}] = [asObject(done?.item).results].flat().map(asObject);
    const { attributes, score, ...more } = result;
    assert.deepEqual(more, { file_id: id, filename: "llamas.md", text: llamas.text.trim() });
    assert.ok(Number(score) > 0 && Number(score) <= 1, String(score));
    assert.equal(asObject(attributes).mime_type, "text/markdown");
  });
});

Deno.test("file_search refuses ids that name no file of the workspace, by their path", async () => {
  await withFiles({}, async ({ gateway, taken }) => {
    const id = await addFile(gateway, llamas);
    for (const type of ["file_search", "service:file_search", "openrouter:file_search"]) {
      for (const unknown of ["docs", `tg_file_${"0".repeat(32)}`, "tg_file_../../x", "file-1", "vs_1"]) {
        const tools = [{ type: "service:datetime" }, { type, vector_store_ids: [id, unknown] }];
        const { error } = wholeOf(await send(gateway, { body: { model: "mock/chat", input, tools } }), 404);
        const path = "tools[1].vector_store_ids[1]";
        assert.ok(
          String(asObject(error).message).startsWith(`${path} is "${unknown}"`),
          JSON.stringify(error),
        );
      }
    }
    assert.equal(taken("chat").length, 0);
  });
});

Deno.test("file_search finds the same again, new files, and no deleted ones", async () => {
  await withFiles({}, async (rig) => {
    const { gateway } = rig;
    const id = await addFile(gateway, llamas);
    const queries = ["llamas"];
    const names = async () => (await search(rig, { queries })).results.map(({ filename }) => filename);
    assert.deepEqual(await names(), ["llamas.md"]);
    assert.deepEqual(await names(), ["llamas.md"]);
    const other = await addFile(gateway, { name: "alpaca.txt", text: "An alpaca is no llama." });
    assert.deepEqual((await names()).toSorted(), ["alpaca.txt", "llamas.md"]);
    const response = await fetch(`${gateway.url}/v1/files/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${gateway.apiKey}` },
    });
    assert.equal(response.status, 200, await response.text());
    assert.deepEqual(await names(), ["alpaca.txt"]);
    const { results } = await search(rig, { queries, tool: searchTool({ vector_store_ids: [other] }) });
    assert.deepEqual(results.map(({ file_id }) => file_id), [other]);
  });
});

Deno.test("an answer on the Messages API cites passages as results of a search, and may come back with them", async () => {
  await withFiles({}, async ({ gateway, plan, taken }) => {
    const id = await addFile(gateway, llamas);
    for (const stream of [false, true]) {
      plan((turn) => turn === 0 ? [asks] : [says("In spring [F1].")]);
      const messages = [{ role: "user", content: input }];
      const body = {
        model: "mock/chat",
        max_tokens: 100,
        messages,
        tools: [searchTool({ type: "service:file_search" })],
      };
      const sent = await send(gateway, { api: "messages", body: { ...body, stream } });
      const answer = answerOf(sent, { api: "messages", stream });
      const text = asList(answer[0]?.content).map(asObject).find(({ type }) => type === "text");
      assert.deepEqual(text?.citations, [{
        type: "search_result_location",
        source: id,
        title: "llamas.md",
        cited_text: "",
        search_result_index: 0,
        start_block_index: 0,
        end_block_index: 1,
      }]);
      const back = {
        ...body,
        model: "mock/messages",
        messages: [...messages, ...answer, { role: "user", content: "Go on." }],
      };
      plan(() => [says("Yes.")]);
      wholeOf(await send(gateway, { api: "messages", body: back }));
      assert.ok(!JSON.stringify(taken("messages").at(-1)?.messages).includes("search_result_location"));
    }
  });
});

Deno.test("the receipt counts the searches of files on each API", async () => {
  await withFiles({}, async ({ gateway, plan }) => {
    await addFile(gateway, llamas);
    const twice = [asks, calls("file_search", { args: { queries: ["spring"] }, id: "call_2" })];
    const tools = [searchTool({ type: "openrouter:file_search" })];
    for (const api of apis) {
      for (const stream of [false, true]) {
        plan((turn) => turn === 0 ? twice : [says("In spring.")]);
        const asked = api === "responses"
          ? { input }
          : { max_tokens: 100, messages: [{ role: "user", content: input }] };
        const sent = await send(gateway, { api, body: { model: "mock/chat", tools, stream, ...asked } });
        const receipt = await receiptOf(gateway, sent);
        assert.deepEqual([receipt.status, receipt.usage.file_searches], ["completed", 2], `${api} ${stream}`);
        assert.equal(receipt.calls?.filter(({ purpose }) => purpose === "tool:file_search").length, 2);
      }
    }
  });
});
