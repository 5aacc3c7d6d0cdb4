/** The tool `files`: what a model lists, reads, writes and edits, and what is left as it was. */

import assert from "node:assert/strict";
import { receiptOf } from "../money/rig.ts";
import { MemoryBlobStore } from "../support/memory_blob_store.ts";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { fileCall, fileRows, upload, utf8 } from "../support/files.ts";
import type { Gateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import {
  apis,
  calls,
  eventsOf,
  itemsOf,
  outputOf,
  says,
  send,
  type ToolRig,
  upstreamWires,
  wholeOf,
  withTools,
} from "./rig.ts";

const tools = [{ type: "service:files" }];

interface Operation {
  readonly args: Json;
  readonly key?: string;
}

/** Runs one operation: the result that the model is told, and the item that the client sees. */
async function operate({ gateway, plan, taken }: ToolRig, { args, key }: Operation) {
  plan((turn) => turn === 0 ? [calls("files", { args })] : [says("Done.")]);
  const sent = await send(gateway, { body: { model: "mock/chat", input: "Do it.", tools }, key });
  const [item = {}] = itemsOf(wholeOf(sent));
  const told = asList(taken("chat").at(-1)?.messages).map(asObject).find(({ role }) => role === "tool");
  const answer = asObject(JSON.parse(String(told?.content)));
  return { sent, item, error: answer.error, result: asObject(answer.result ?? {}) };
}

async function bytesOf(gateway: Gateway, id: unknown): Promise<Uint8Array> {
  const response = await fileCall(gateway, { path: `/${id}/content`, token: gateway.managementKey });
  assert.equal(response.status, 200, await response.clone().text());
  return await response.bytes();
}

const textOf = async (gateway: Gateway, id: unknown) => new TextDecoder().decode(await bytesOf(gateway, id));

const write = (filename: string, content: string): Json => ({ operation: "write", filename, content });
interface Edit {
  readonly from: string;
  readonly to: string;
}

const edit = (file_id: unknown, { from, to }: Edit): Json => ({
  operation: "edit",
  file_id,
  old_string: from,
  new_string: to,
});

Deno.test("a text is written, listed, read and edited, and the old file stays", async () => {
  await withTools({}, async (rig) => {
    const { gateway } = rig;
    const made = await operate(rig, { args: write("notes.md", "# Notes\nfirst\n") });
    assert.deepEqual([made.item.operation, made.item.filename, made.item.status], [
      "write",
      "notes.md",
      "completed",
    ]);
    assert.deepEqual(JSON.parse(String(made.item.result)), made.result);
    assert.equal(await textOf(gateway, made.result.file_id), "# Notes\nfirst\n");

    const { file_id } = made.result;
    const edited = await operate(rig, {
      args: { ...edit(file_id, { from: "first", to: "second" }), new_filename: "new.md" },
    });
    assert.equal(edited.result.edited_from, file_id);
    assert.notEqual(edited.result.file_id, file_id);
    assert.equal(edited.result.filename, "new.md");
    assert.equal(await textOf(gateway, edited.result.file_id), "# Notes\nsecond\n");
    assert.equal(await textOf(gateway, file_id), "# Notes\nfirst\n");

    const read = await operate(rig, { args: { operation: "read", file_id: edited.result.file_id } });
    assert.deepEqual(read.result, {
      file_id: edited.result.file_id,
      filename: "new.md",
      content: "# Notes\nsecond\n",
    });
    const all = asList((await operate(rig, { args: { operation: "list" } })).result.files).map(asObject);
    assert.deepEqual(all.map(({ filename }) => filename), ["new.md", "notes.md"]);
    assert.deepEqual(all.map(({ size_bytes }) => size_bytes), [15, 14]);
    for (
      const [filename_filter, found] of [["ote", ["notes.md"]], ["*.md", []], [".", ["new.md", "notes.md"]]]
    ) {
      const { result } = await operate(rig, { args: { operation: "list", filename_filter } });
      assert.deepEqual(asList(result.files).map((one) => asObject(one).filename), found);
    }
  });
});

for (const wire of upstreamWires) {
  Deno.test(`files works whole and streamed, its item comes back, and the receipt names its calls (${wire})`, async () => {
    await withTools({}, async ({ gateway, plan, taken }) => {
      for (const stream of [false, true]) {
        const args = write(`planted_${stream}.txt`, "planted text");
        plan((turn) => turn === 0 ? [calls("files", { args })] : [says("Done.")]);
        const ask = [{ role: "user", content: "Write it." }];
        const body = { model: `mock/${wire}`, input: ask, tools: [{ type: "openrouter:files" }], stream };
        const sent = await send(gateway, { body });
        const output = outputOf(sent);
        const item = output.find(({ type }) => type === "openrouter:files");
        assert.deepEqual([item?.status, item?.operation, item?.arguments], [
          "completed",
          "write",
          JSON.stringify(args),
        ]);
        const receipt = await receiptOf(gateway, new Response(null, { headers: sent.headers }));
        assert.deepEqual(receipt.calls?.map(({ purpose }) => purpose), ["model", "tool:files", "model"]);
        const before = taken(wire).at(-1);
        plan(() => [says("Again.")]);
        await send(gateway, {
          body: { ...body, input: [...ask, ...output.filter(({ type }) => type !== "message")] },
        });
        // Ids and states of items are the Responses API's own.
        const told = (one: Json | undefined) =>
          asList(one?.messages ?? one?.contents ?? one?.input).map((item) => {
            const { id: _id, status: _status, ...rest } = asObject(item);
            return rest;
          });
        assert.deepEqual(told(taken(wire)[0]), told(before), "the model reads the same again");
      }
    });
  });
}

Deno.test("files works on every API", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    for (const api of apis) {
      plan((turn) => turn === 0 ? [calls("files", { args: write(`of_${api}.txt`, "x") })] : [says("Done.")]);
      const conversation = api === "responses"
        ? { input: "Write it." }
        : { messages: [{ role: "user", content: "Write it." }], max_tokens: 500 };
      const sent = await send(gateway, {
        api,
        body: { model: "mock/chat", tools, stream: true, ...conversation },
      });
      assert.ok(eventsOf(sent).length > 0);
    }
    assert.deepEqual(
      (await fileRows(gateway)).map(({ filename }) => filename),
      apis.map((api) => `of_${api}.txt`),
    );
  });
});

Deno.test("bytes outside of the edited place stay: marks of byte order, line breaks, no end of line", async () => {
  const bom = "\uFEFF";
  const cases: readonly (readonly [before: string, from: string, to: string, after: string])[] = [
    [`${bom}one\r\ntwo\r\nthree`, "one\ntwo", "ONE\nTWO", `${bom}ONE\r\nTWO\r\nthree`],
    ["a\r\nb\r\n", "a\r\nb", "c", "c\r\n"],
    ["mixed\r\nlines\n", "mixed\r\nlines", "x", "x\n"],
    ["costs 5 EUR", "5 EUR", "$& $1 $$ EUR", "costs $& $1 $$ EUR"],
    ["Grüße 👋🏽 an alle", "👋🏽", "", "Grüße  an alle"],
    ["constructor __proto__", "__proto__", "toString", "constructor toString"],
  ];
  await withTools({}, async (rig) => {
    for (const [before, from, to, after] of cases) {
      const { body } = await upload(rig.gateway, { bytes: utf8(before), name: "text.txt" });
      const read = await operate(rig, { args: { operation: "read", file_id: body.id } });
      assert.equal(read.result.content, before.replace(bom, ""));
      const { result, error } = await operate(rig, { args: edit(body.id, { from, to }) });
      assert.equal(error, undefined);
      assert.deepEqual(await bytesOf(rig.gateway, result.file_id), utf8(after));
    }
  });
});

Deno.test("what cannot be done is a result that says why, and makes no file", async () => {
  await withTools({}, async (rig) => {
    const { gateway } = rig;
    const make = async (bytes: Uint8Array<ArrayBuffer>, name: string) =>
      (await upload(gateway, { bytes, name })).body.id;
    const twice = await make(utf8("same same"), "twice.txt");
    const pdf = await make(utf8("%PDF-1.7\n\u0000binary"), "report.pdf");
    const large = await make(utf8("x".repeat(1024 * 1024 + 1)), "large.txt");
    const half = await make(utf8("y".repeat(600 * 1024)), "half.txt");
    const before = (await fileRows(gateway)).length;
    const faults: readonly (readonly [Json, RegExp])[] = [
      [{}, /^operation is not one of list, read, write, edit/],
      [{ operation: "delete", file_id: twice }, /^operation is not one of/],
      [{ operation: "read" }, /^file_id is missing/],
      [
        { operation: "read", file_id: "tg_file_00000000000000000000000000000000" },
        /no file with this file_id/,
      ],
      [{ operation: "read", file_id: "../../etc/passwd" }, /no file with this file_id/],
      [{ operation: "read", file_id: pdf }, /no text in UTF-8/],
      [{ operation: "read", file_id: large }, /more than 1 MiB/],
      [{ operation: "write", filename: "a.txt" }, /^content is missing/],
      [{ operation: "write", content: "a" }, /^filename is missing/],
      [write("..", "a"), /its name is empty/],
      [write("a.txt", ""), /empty/],
      [write("n".repeat(256), "a"), /256 characters long/],
      [edit(twice, { from: "same", to: "other" }), /more than once/],
      [edit(twice, { from: "gone", to: "other" }), /old_string is not in the file/],
      [edit(twice, { from: "", to: "other" }), /^old_string is missing/],
      [edit(twice, { from: "same same", to: "same same" }), /the same as old_string/],
      [{ operation: "edit", file_id: twice, old_string: "same same" }, /^new_string is missing/],
      [edit(half, { from: "y".repeat(600 * 1024), to: "z".repeat(1024 * 1024 - 100) }), /more than 1 MiB/],
    ];
    for (const [args, reason] of faults) {
      const { item, error } = await operate(rig, { args });
      assert.match(String(error), reason, JSON.stringify(args).slice(0, 200));
      assert.equal(item.status, "incomplete");
    }
    assert.equal((await fileRows(gateway)).length, before);
  });
});

Deno.test("a key reaches the files that it has made, and nobody else's", async () => {
  await withTools({}, async (rig) => {
    const { gateway } = rig;
    const other = await createKey(gateway);
    const own = await operate(rig, { args: write("own.txt", "planted secret") });
    const { file_id } = own.result;
    for (const args of [{ operation: "read", file_id }, edit(file_id, { from: "planted", to: "x" })]) {
      const { error, sent } = await operate(rig, { args, key: other.key });
      assert.match(String(error), /no file with this file_id/);
      assert.ok(!sent.text.includes("planted secret"));
    }
    const { result } = await operate(rig, { args: { operation: "list" }, key: other.key });
    assert.deepEqual(result.files, []);
    const listed = await (await fileCall(gateway, { path: "", token: gateway.apiKey })).text();
    assert.ok(listed.includes(String(file_id)), "the key that made it sees it among its files");
  });
});

Deno.test("two answers that edit one file at once make two new files, and none is lost", async () => {
  await withTools({}, async (rig) => {
    const { gateway, plan } = rig;
    const made = await operate(rig, { args: write("shared.txt", "one two") });
    const { file_id } = made.result;
    const edits = {
      first: edit(file_id, { from: "one", to: "ONE" }),
      second: edit(file_id, { from: "two", to: "TWO" }),
    };
    plan((_, body) => {
      const text = JSON.stringify(body);
      if (text.includes('"tool"')) return [says("Done.")];
      return [calls("files", { args: text.includes("first") ? edits.first : edits.second })];
    });
    const both = await Promise.all(
      ["first", "second"].map((input) => send(gateway, { body: { model: "mock/chat", input, tools } })),
    );
    const ids = both.map((sent) => asObject(JSON.parse(String(itemsOf(wholeOf(sent))[0]?.result))).file_id);
    assert.notEqual(ids[0], ids[1]);
    assert.deepEqual(await Promise.all(ids.map((id) => textOf(gateway, id))), ["ONE two", "one TWO"]);
    assert.equal(await textOf(gateway, file_id), "one two");
    assert.equal((await fileRows(gateway)).length, 3);
  });
});

Deno.test("an answer has fifty operations", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    const many = Array.from({ length: 26 }, (_, at) => at);
    plan((turn) =>
      turn < 2
        ? many.map((at) =>
          calls("files", { args: write(`f_${turn}_${at}.txt`, "x"), id: `call_${turn}_${at}` })
        )
        : [says("Done.")]
    );
    const stop = [{ type: "step_count_is", step_count: 5 }];
    const body = { model: "mock/chat", input: "Write.", tools, stop_server_tools_when: stop };
    const items = itemsOf(wholeOf(await send(gateway, { body }))).filter(({ type }) =>
      type === "service:files"
    );
    const failed = items.filter(({ status }) => status === "incomplete");
    assert.deepEqual([items.length, failed.length], [52, 2]);
    for (const { error } of failed) assert.match(String(error), /50 file operations/);
    assert.equal((await fileRows(gateway)).length, 50);
  });
});

Deno.test("a workspace that is full says so, one that has disabled the tool is 403", async () => {
  const limits = { limits: { workspace_file_bytes: 1_000 } };
  await withTools({ file: limits }, async (rig) => {
    const first = await operate(rig, { args: write("a.txt", "x".repeat(900)) });
    assert.equal(first.error, undefined);
    const second = await operate(rig, { args: write("b.txt", "x".repeat(200)) });
    assert.match(String(second.error), /take up/);
    const changes = { call: "PATCH /workspaces/default", body: { disabled_server_tools: ["service:files"] } };
    assert.equal((await managed(rig.gateway, changes)).status, 200);
    const refused = await send(rig.gateway, { body: { model: "mock/chat", input: "List.", tools } });
    assert.equal(refused.status, 403, refused.text);
  });
});

Deno.test("without a place for bytes the tool is left out, and 400 where it is forced", async () => {
  await withTools({ blobs: null }, async ({ gateway, plan, taken }) => {
    plan(() => [says("Hi.")]);
    const body = { model: "mock/chat", input: "Hello", tools };
    wholeOf(await send(gateway, { body }));
    assert.equal(taken("chat")[0]?.tools, undefined);
    const forced = await send(gateway, { body: { ...body, tool_choice: tools[0] } });
    assert.deepEqual([forced.status, /TOLLGATE_BLOBS/.test(forced.text)], [400, true], forced.text);
  });
});

Deno.test("a place for bytes that fails is a result, and the response goes on", async () => {
  const blobs = new MemoryBlobStore(() => 0);
  await withTools({ blobs }, async (rig) => {
    const made = await operate(rig, { args: write("a.txt", "text") });
    await blobs.delete({
      workspaceId: (await fileRows(rig.gateway))[0]?.workspace_id ?? "",
      id: String(made.result.file_id).slice(-32),
    });
    const { error, item } = await operate(rig, { args: { operation: "read", file_id: made.result.file_id } });
    assert.match(String(error), /is gone/);
    assert.equal(item.status, "incomplete");
  });
});
