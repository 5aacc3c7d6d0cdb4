/** Documents in requests: who reads them, what the model and the client are told, and what is refused. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { createKey, managed } from "../support/manage.ts";
import { type MockedWire, says, send, wholeOf } from "../server_tools/rig.ts";
import { type Keeper, unavailableKeeper } from "../../server/sandbox/keeper/keeper.ts";
import { type WebRig, withWeb } from "../server_tools/web_rig.ts";
import { apis, askWith, explained, paramsOf, requestOn, stagesOf } from "./rig.ts";
import { madeBytes, question, type SentDocument, types, withDocuments } from "./documents_rig.ts";

const report: SentDocument = { name: "harbour.docx", type: types.docx, bytes: madeBytes("python-docx.docx") };
const paper: SentDocument = { name: "paper.pdf", bytes: madeBytes("chromium.pdf") };
const scan: SentDocument = { name: "scan.pdf", bytes: madeBytes("scanned.pdf") };

const bodyOf = (rig: WebRig, wire: "chat" | "responses" | "messages" | "gemini" | "bedrock" = "chat") =>
  JSON.stringify(rig.taken(wire).at(-1) ?? {});

const ask = (rig: WebRig, documents: readonly SentDocument[], more: Json = {}) =>
  send(rig.gateway, {
    api: "chat",
    body: requestOn("chat", { model: "mock/chat", text: question("chat", documents), ...more }),
  });

Deno.test("a document's text stands where the file stood, headed by its name, on every API", async () => {
  await withDocuments({}, async (rig) => {
    for (const api of apis) {
      for (const stream of [false, true]) {
        rig.plan(() => [says("It is about a harbour.")]);
        const body = requestOn(api, { model: "mock/chat", text: question(api, [report, paper]) });
        const answer = await askWith(rig.gateway, { api, stream, body });
        const sent = bodyOf(rig);
        assert.match(sent, /<file name=\\"harbour\.docx\\">\\n# Harbour report/);
        assert.match(
          sent,
          /<file name=\\"paper\.pdf\\" pages=\\"1\\">\\nHarbour paper.*<\/file>.*What does it say\?/,
        );
        assert.equal(answer.text, "It is about a harbour.");
        const [stage] = stagesOf(answer);
        assert.deepEqual([stage?.type, stage?.name, stage?.data], [
          "plugin",
          "file-parser",
          { files: 2, pages: 1, engine: "local" },
        ]);
      }
    }
  });
});

Deno.test("each candidate gets what it takes: the file itself, or its text", async () => {
  const files = { input_modalities: ["text", "file"] };
  await withDocuments({ model: files }, async (rig) => {
    rig.plan(() => [says("Hi")]);
    assert.equal((await ask(rig, [paper])).status, 200);
    assert(bodyOf(rig).includes(paper.bytes?.toBase64() ?? "none"));
    assert.doesNotMatch(bodyOf(rig), /turnpoint/);
    // Messages carries PDFs and no Office files.
    for (const [document, how] of [[paper, "data"], [report, "text"]] as const) {
      rig.plan(() => [says("Hi")]);
      const text = question("chat", [document]);
      const answer = await send(rig.gateway, {
        api: "chat",
        body: requestOn("chat", { text, models: ["mock/chat-500", "mock/messages"], model: "mock/chat-500" }),
      });
      assert.equal(answer.status, 200, answer.text);
      const base64 = document.bytes?.toBase64() ?? "none";
      assert(bodyOf(rig).includes(base64), "the first candidate takes it");
      assert.equal(bodyOf(rig, "messages").includes(base64) ? "data" : "text", how);
      assert.equal(/Harbour report/.test(bodyOf(rig, "messages")), how === "text");
    }
  });
});

Deno.test("an engine reads PDFs whatever the candidate takes, native leaves them to it", async () => {
  await withDocuments({ model: { input_modalities: ["text", "file"] } }, async (rig) => {
    for (
      const [engine, isText] of [["pdf-text", true], ["cloudflare-ai", true], ["native", false]] as const
    ) {
      rig.plan(() => [says("Hi")]);
      const plugins = [{ id: "file-parser", pdf: { engine } }];
      const sent = await ask(rig, [paper], { plugins });
      assert.equal(sent.status, 200, sent.text);
      assert.equal(/turnpoint/.test(bodyOf(rig)), isText, engine);
    }
  });
  await withDocuments({}, async (rig) => {
    const plugins = [{ id: "file-parser", pdf: { engine: "native" } }];
    const { status, text } = await ask(rig, [paper], { plugins });
    assert.equal(status, 404, "no candidate takes files");
    assert.match(text, /takes no file input/);
    const off = await ask(rig, [paper], { plugins: [{ id: "file-parser", enabled: false }] });
    assert.equal(off.status, 404);
  });
});

const refused: readonly (readonly [file: string, message: RegExp])[] = [
  ["encrypted.docx", /^Cannot read the file encrypted\.docx: the document is encrypted with a password\./],
  ["encrypted.pdf", /encrypted with a password/],
  ["bomb.docx", /too large when it is unpacked/],
  ["laughs.docx", /damaged or not what its type says/],
  ["nested.docx", /damaged or not what its type says/],
  ["old.doc", /Office 97 to 2003/],
  ["scanned.pdf", /has no text that can be read: its pages are pictures.*mistral-ocr needs a key/],
];

Deno.test("a document without a text is 400 and says why, and costs nothing", async () => {
  await withDocuments({}, async (rig) => {
    for (const [name, message] of refused) {
      const type = name.endsWith(".pdf") ? types.pdf : types.bin;
      const sent = await ask(rig, [{ name, type, bytes: madeBytes(name) }]);
      const { error } = wholeOf(sent, 400);
      assert.match(String(asObject(error).message), message);
      assert.equal(rig.taken("chat").length, 0);
    }
    const noData = await ask(rig, [{ name: "a.zip", type: types.bin, bytes: new Uint8Array([1, 2, 3, 0]) }]);
    assert.match(noData.text, /Documents of this type cannot be read|documents of this type cannot be read/);
  });
});

Deno.test("a document without a text for one model goes to a later one that takes files", async () => {
  const takesFiles = (wire: MockedWire) => ({
    input_modalities: wire === "messages" ? ["text", "file"] : ["text"],
  });
  await withDocuments({ model: takesFiles }, async (rig) => {
    const unread = ["scanned.pdf", "encrypted.pdf", "cut.pdf"];
    for (
      const [name, api, stream] of unread.flatMap((name) =>
        apis.flatMap((api) => [[name, api, false], [name, api, true]] as const)
      )
    ) {
      const bytes = name === "cut.pdf" ? new TextEncoder().encode("%PDF-1.7 cut") : madeBytes(name);
      const text = question(api, [{ name, bytes }]);
      rig.plan(() => [says("Hi")]);
      const models = ["mock/chat", "mock/messages"];
      const body = requestOn(api, { text, models, model: "mock/chat", stream });
      const sent = await send(rig.gateway, { api, body });
      assert.equal(sent.status, 200, `${name} ${api}: ${sent.text}`);
      assert.equal(rig.taken("chat").length, 0);
      assert(bodyOf(rig, "messages").includes(bytes.toBase64()), name);
      // None takes it as it is, so the reason is told.
      const alone = await send(rig.gateway, {
        api,
        body: { ...body, models: ["mock/chat", "mock/responses"] },
      });
      assert.equal(alone.status, 400, alone.text);
      assert.match(alone.text, /Cannot read the file/);
    }
  });
});

Deno.test("where one of many documents cannot be read, those behind it are not begun", async () => {
  let runs = 0;
  const keeper: Keeper = {
    ...unavailableKeeper("Nothing stays in this test."),
    run: () => Promise.resolve({ outcome: "time_limit", output: new Uint8Array(0), detail: String(runs++) }),
  };
  await withWeb({ model: { input_modalities: ["text"] }, gateway: { keeper } }, async (rig) => {
    const encoder = new TextEncoder();
    const many = Array.from(
      { length: 30 },
      (_, at) => ({ name: `${at}.pdf`, bytes: encoder.encode(`%PDF-1.7 ${at}`) }),
    );
    for (const requests of [1, 2]) {
      const sent = await ask(rig, many);
      assert.match(String(asObject(wholeOf(sent, 400).error).message), /could not be read within 10 s/);
      // Four are read at once; the request is refused with the first, when slower ones may not have begun.
      assert(runs >= requests && runs <= 4 * requests, `${runs} in ${requests} requests`);
    }
  });
});

Deno.test("mistral-ocr by its name without a key is 400, whether a PDF is scanned or not", async () => {
  await withDocuments({}, async (rig) => {
    const plugins = [{ id: "file-parser", pdf: { engine: "mistral-ocr" } }];
    for (const document of [paper, scan]) {
      const { error } = wholeOf(await ask(rig, [document], { plugins }), 400);
      assert.match(String(asObject(error).message), /pdf\.engine mistral-ocr needs a key of Mistral/);
    }
    assert.equal((await ask(rig, [report], { plugins })).status, 200, "the engine is for PDFs");
  });
});

Deno.test("addresses are fetched by the gateway, and what cannot be had is 400", async () => {
  const pages = (path: string) =>
    path === "/paper.pdf"
      ? new Response(paper.bytes?.slice(), { headers: { "content-type": types.pdf } })
      : new Response("Nothing here.", { status: 404 });
  await withDocuments({ pages }, async (rig) => {
    for (const api of apis) {
      rig.plan(() => [says("Hi")]);
      const text = question(api, [{ url: `${rig.site}/paper.pdf` }]);
      const sent = await send(rig.gateway, { api, body: requestOn(api, { model: "mock/chat", text }) });
      assert.equal(sent.status, 200, sent.text);
      assert.match(bodyOf(rig), /<file name=\\"paper\.pdf\\" pages=\\"1\\">\\nHarbour paper/);
    }
    for (const url of [`${rig.site}/none.pdf`, "https://127.0.0.1:9/secret.pdf", "https://10.0.0.1/a.pdf"]) {
      const { error } = wholeOf(await ask(rig, [{ url }]), 400);
      assert.match(String(asObject(error).message), /^Cannot read the file (?:none|secret|a)\.pdf: its /);
    }
  });
});

Deno.test("a chat is told the files of its answer, and files that come back are not parsed again", async () => {
  await withDocuments({}, async (rig) => {
    for (const stream of [false, true]) {
      rig.plan(() => [says("It tells of stones.")]);
      const body = requestOn("chat", { model: "mock/chat", text: question("chat", [paper]) });
      const { citations } = await askWith(rig.gateway, { api: "chat", stream, body });
      const [annotation] = citations;
      const file = asObject(annotation?.file);
      assert.deepEqual([annotation?.type, file.name, String(file.hash).length], ["file", "paper.pdf", 64]);
      const [content] = asList(file.content).map(asObject);
      assert.match(String(content?.text), /^Harbour paper/);
      const known = {
        ...annotation,
        file: { ...file, content: [{ type: "text", text: "As it was told." }] },
      };
      const messages = [
        { role: "user", content: question("chat", [paper]) },
        { role: "assistant", content: "It tells of stones.", annotations: [known, { type: "other" }] },
        { role: "user", content: "And more?" },
      ];
      rig.plan(() => [says("No.")]);
      const again = await send(rig.gateway, { api: "chat", body: { model: "mock/chat", messages } });
      assert.equal(again.status, 200, again.text);
      assert.match(bodyOf(rig), /<file name=\\"paper\.pdf\\">\\nAs it was told\.\\n<\/file>/);
      assert.doesNotMatch(bodyOf(rig), /turnpoint|annotations/);
    }
    rig.plan(() => [says("Hi")]);
    const text = question("responses", [paper]);
    const whole = await send(rig.gateway, { body: requestOn("responses", { model: "mock/chat", text }) });
    assert.doesNotMatch(whole.text, /"type":"file"/, "only chats have that annotation");
  });
});

Deno.test("an error behind a parsed file tells its text", async () => {
  await withDocuments({}, async (rig) => {
    const body = requestOn("chat", { model: "mock/chat-500", text: question("chat", [paper]) });
    const sent = await send(rig.gateway, { api: "chat", body });
    const { error } = asObject(JSON.parse(sent.text));
    const [annotation] = asList(asObject(asObject(error).metadata).file_annotations).map(asObject);
    assert.equal(annotation?.type, "file");
    assert.match(JSON.stringify(annotation), /turnpoint/);
  });
});

Deno.test("route/explain says what would be read, without reading it", async () => {
  await withDocuments({}, async (rig) => {
    const body = { model: "mock/chat", input: question("responses", [scan, report]) };
    assert.deepEqual(await explained(rig.gateway, body), [{
      id: "file-parser",
      would: "put the text of 2 documents in its place, read by the local reader",
    }]);
  });
  await withDocuments({ model: { input_modalities: ["text", "file"] } }, async (rig) => {
    const [native] = await explained(rig.gateway, {
      model: "mock/chat",
      input: question("responses", [paper]),
    });
    assert.equal(native?.would, "leave 1 document to the provider, which takes files");
  });
});

Deno.test("a guardrail reads the text of a document, and what it masks the model does not see", async () => {
  await withDocuments({}, async (rig) => {
    const { body } = await managed(rig.gateway, {
      call: "POST /workspaces",
      body: { name: "lab", slug: "lab" },
    });
    const { id, default_guardrail_id } = asObject(body.data);
    const { key } = await createKey(rig.gateway, { workspace_id: id });
    const setting = { content_filters: [{ action: "redact", label: "WORD", pattern: "turnpoint" }] };
    const change = { call: `PATCH /guardrails/${default_guardrail_id}`, body: setting };
    assert.equal((await managed(rig.gateway, change)).status, 200);
    rig.plan(() => [says("Hi")]);
    const sent = await send(rig.gateway, {
      api: "chat",
      key,
      body: requestOn("chat", { model: "mock/chat", text: question("chat", [paper]) }),
    });
    assert.equal(sent.status, 200, sent.text);
    assert.match(bodyOf(rig), /ends with the word \[WORD\]/);
    assert.doesNotMatch(bodyOf(rig), /turnpoint/);
  });
});

Deno.test("a document that is read is not among what was dropped, whatever the API and the wire", async () => {
  await withDocuments({}, async ({ gateway, plan }) => {
    for (const api of apis) {
      for (const wire of ["chat", "responses", "messages"]) {
        for (const plugins of [undefined, [{ id: "file-parser" }]]) {
          plan(() => [says("Hi")]);
          const text = question(api, [report, paper]);
          const body = requestOn(api, { model: `mock/${wire}`, text, plugins });
          const answer = await askWith(gateway, { api, stream: false, body });
          assert.deepEqual(stagesOf(answer).map(({ name }) => name), ["file-parser"]);
          assert.equal(paramsOf(answer).dropped, undefined, `${api} to ${wire}`);
        }
      }
    }
  });
});

const readable = [
  "python-docx.docx",
  "openpyxl.xlsx",
  "python-pptx.pptx",
  "libreoffice.odt",
  "libreoffice.ods",
  "libreoffice.odp",
  "pandoc.html",
  "libreoffice.csv",
  "chromium.pdf",
];

Deno.test("an uploaded document is read as one that stands in the request", async () => {
  await withDocuments({}, async (rig) => {
    const { gateway, plan } = rig;
    for (const name of readable) {
      const bytes = madeBytes(name);
      const form = new FormData();
      form.append("file", new File([bytes], name));
      const headers = { authorization: `Bearer ${gateway.apiKey}` };
      const uploaded = await fetch(`${gateway.url}/v1/files`, { method: "POST", headers, body: form });
      const { id, error } = asObject(await uploaded.json());
      assert.equal(uploaded.status, 200, `${name}: ${JSON.stringify(error)}`);
      const texts: string[] = [];
      const inside = { filename: name, file_data: `data:${typesByName(name)};base64,${bytes.toBase64()}` };
      for (const one of [{ file_id: id }, inside]) {
        plan(() => [says("Hi")]);
        const text = [{ type: "text", text: "Read it." }, { type: "file", file: one }];
        const body = requestOn("chat", { model: "mock/chat", text });
        const sent = await send(gateway, { api: "chat", body });
        assert.equal(sent.status, 200, `${name}: ${sent.text}`);
        texts.push(bodyOf(rig));
      }
      assert.match(texts[0] ?? "", /<file name=/);
      assert.equal(texts[0], texts[1], name);
    }
  });
});

/** As a client names them. */
const typesByName = (name: string): string =>
  name.endsWith(".html") ? "text/html" : name.endsWith(".csv") ? "text/csv" : types.bin;
