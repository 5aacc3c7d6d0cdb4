/** Scanned documents, services that read them, and what that costs. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { patientCrowd, startGateway } from "../support/gateway.ts";
import { httpStub } from "../support/http_stub.ts";
import { createKey, managed } from "../support/manage.ts";
import { readerRig } from "../support/reader.ts";
import { until } from "../support/until.ts";
import { receiptOf, spentBy } from "../money/rig.ts";
import { says, send } from "../server_tools/rig.ts";
import type { WebRig } from "../server_tools/web_rig.ts";
import { askWith, requestOn, stagesOf } from "./rig.ts";
import { madeBytes, question, type SentDocument, withDocuments } from "./documents_rig.ts";

const scan: SentDocument = { name: "scan.pdf", bytes: madeBytes("scanned.pdf") };
const paper: SentDocument = { name: "paper.pdf", bytes: madeBytes("chromium.pdf") };
/** Nano-USD of a page. */
const PAGE = 4_000_000;
const picture = "data:image/png;base64,iVBORw0KGgo=";

interface OcrRig extends WebRig {
  /** Bodies that Mistral was sent, with the header of the key. */
  readonly asked: readonly (Json & { readonly authorization: string })[];
}

interface OcrOptions {
  readonly answer?: () => Response | Promise<Response>;
  readonly model?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** One page more is paid than there are texts of: what counts is what Mistral counts. */
const read = () =>
  Response.json({
    pages: Array.from({ length: 2 }, (_, index) => ({
      index,
      markdown: `Words of page ${index + 1}`,
      images: Array.from({ length: 6 }, () => ({ id: "a", image_base64: picture })),
    })),
    usage_info: { pages_processed: 2 },
  });

async function withOcr({ answer = read, model, env }: OcrOptions, test: (rig: OcrRig) => Promise<void>) {
  const asked: (Json & { readonly authorization: string })[] = [];
  await using mistral = httpStub(async (request) => {
    assert.equal(new URL(request.url).pathname, "/v1/ocr");
    asked.push({
      ...asObject(await request.json()),
      authorization: request.headers.get("authorization") ?? "",
    });
    return await answer();
  });
  const gateway = {
    env: { MISTRAL_API_KEY: "mistral-key", MISTRAL_BASE_URL: `${mistral.url}/v1`, ...env },
    limits: patientCrowd,
  };
  await withDocuments(
    { gateway, ...(model === undefined ? {} : { model }) },
    (rig) => test({ ...rig, asked }),
  );
}

const bodyOf = (rig: WebRig) => JSON.stringify(rig.taken("chat").at(-1) ?? {});
const chatBody = (documents: readonly SentDocument[], more: Json = {}) =>
  requestOn("chat", { model: "mock/chat", text: question("chat", documents), ...more });
const ask = (rig: WebRig, documents: readonly SentDocument[], more: Json & { key?: string } = {}) =>
  send(rig.gateway, { api: "chat", body: chatBody(documents, { ...more, key: undefined }), key: more.key });

Deno.test("a scanned PDF is read by OCR where there is a key, and paid a page", async () => {
  await withOcr({}, async (rig) => {
    rig.plan(() => [says("Hi")]);
    const key = await rig.gateway.addKey({ kind: "api", limit: 1 });
    const answer = await askWith(rig.gateway, { api: "chat", stream: false, body: chatBody([scan]), key });
    assert.equal(answer.sent.status, 200, answer.sent.text);
    assert.match(
      bodyOf(rig),
      /<file name=\\"scan\.pdf\\" pages=\\"2\\">\\nWords of page 1\\n\\nWords of page 2/,
    );
    assert.doesNotMatch(bodyOf(rig), /iVBORw0KGgo=/, "the model takes no pictures");
    const [stage] = stagesOf(answer);
    assert.deepEqual([stage?.data, stage?.cost_usd], [{ files: 1, pages: 2, engine: "mistral-ocr" }, 0.008]);
    const [{ model, document, authorization, image_limit } = { authorization: "" }] = rig.asked;
    assert.deepEqual([model, authorization, image_limit], ["mistral-ocr-latest", "Bearer mistral-key", 8]);
    assert.match(String(asObject(document).document_url), /^data:application\/pdf;base64,JVBER/);
    const receipt = await receiptOf(rig.gateway, new Response(null, { headers: answer.sent.headers }));
    const line = receipt.lines.find(({ rate }) => rate === "ocr_page");
    assert.deepEqual([line?.quantity, line?.unit_price], [2, "0.004"]);
    assert.equal(await spentBy(rig.gateway, key), receipt.cost);
    assert.equal(receipt.lines.some(({ rate }) => rate === "prompt"), true);
  });
});

Deno.test("up to eight pictures of pages go to models that take pictures", async () => {
  await withOcr({ model: { input_modalities: ["text", "image"] } }, async (rig) => {
    rig.plan(() => [says("Hi")]);
    const answer = await askWith(rig.gateway, { api: "chat", stream: false, body: chatBody([scan]) });
    assert.equal(bodyOf(rig).split(picture).length - 1, 8);
    const [annotation] = answer.citations;
    const content = asList(asObject(annotation?.file).content).map(asObject);
    assert.deepEqual(content.map(({ type }) => type), ["text", ...Array(8).fill("image_url")]);
  });
});

Deno.test("a text of a workspace is kept for a day, by its engine, and goes with the workspace", async () => {
  await withOcr({}, async (rig) => {
    const { body } = await managed(rig.gateway, { call: "POST /workspaces", body: { name: "B", slug: "b" } });
    const workspaceId = String(asObject(body.data).id);
    const { key, record: { hash } } = await createKey(rig.gateway, { workspace_id: workspaceId });
    const blobs = async () => (await Array.fromAsync(rig.gateway.blobs.list(workspaceId))).length;
    for (let round = 0; round < 2; round++) {
      rig.plan(() => [says("Hi")]);
      assert.equal((await ask(rig, [scan], { key })).status, 200);
      assert.match(bodyOf(rig), /Words of page 1/);
    }
    assert.equal(rig.asked.length, 1, "the second is not read again");
    assert.equal(await blobs(), 1);
    rig.plan(() => [says("Hi")]);
    assert.equal((await ask(rig, [scan])).status, 200);
    assert.equal(rig.asked.length, 2, "another workspace knows nothing of it");
    await managed(rig.gateway, { call: `DELETE /keys/${hash}` });
    const gone = await managed(rig.gateway, { call: `DELETE /workspaces/${workspaceId}` });
    assert.equal(gone.status, 200, JSON.stringify(gone.body));
    await until(async () => await blobs() === 0, { what: "that its blobs are gone" });
  });
});

Deno.test("OCR is paid for the pages that can have been read, whatever Mistral counts", async () => {
  const counts: readonly unknown[] = [-1, 1.5, 1e18, "7", null, undefined];
  let usage: unknown;
  const answer = () =>
    Response.json({ pages: [{ markdown: "One" }, { markdown: "Two" }], usage_info: usage });
  await withOcr({ answer }, async (rig) => {
    for (const [at, pages_processed] of counts.entries()) {
      usage = pages_processed === undefined ? undefined : { pages_processed };
      rig.plan(() => [says("Hi")]);
      // Bytes behind the end of a PDF make it another one, whose text nobody keeps.
      const bytes = new Uint8Array([...madeBytes("scanned.pdf"), 10, 37, 48 + at]);
      const answered = await ask(rig, [{ name: "scan.pdf", bytes }]);
      const receipt = await receiptOf(rig.gateway, new Response(null, { headers: answered.headers }));
      const line = receipt.lines.find(({ rate }) => rate === "ocr_page");
      assert.equal(line?.quantity, 2, `pages_processed is ${pages_processed}`);
    }
  });
});

const failures:
  readonly (readonly [name: string, answer: () => Response, status: number, message: RegExp])[] = [
    ["an error", () => new Response("down", { status: 500 }), 502, /Mistral OCR failed with status 500/],
    ["no sense", () => Response.json({ pages: 1 }), 502, /an answer that is none/],
    [
      "a refusal",
      () => Response.json({ message: "Too odd" }, { status: 422 }),
      400,
      /Mistral OCR refuses it: Too odd/,
    ],
  ];

for (const [name, answer, status, message] of failures) {
  Deno.test(`OCR that ends with ${name} costs nothing and is told`, async () => {
    await withOcr({ answer }, async (rig) => {
      const key = await rig.gateway.addKey({ kind: "api", limit: 1 });
      const sent = await ask(rig, [scan], { key });
      assert.equal(sent.status, status, sent.text);
      assert.match(sent.text, message);
      assert.equal(await spentBy(rig.gateway, key), 0);
      assert.equal(rig.taken("chat").length, 0);
    });
  });
}

Deno.test("no page is bought where the limit allows no call of the model behind it", async () => {
  await withOcr({}, async (rig) => {
    const key = await rig.gateway.addKey({ kind: "api", limit: (2 * PAGE + 100_000) / 1e9 });
    const sent = await ask(rig, [scan], { key });
    assert.equal(sent.status, 402, sent.text);
    assert.equal(rig.asked.length, 0);
    assert.equal(await spentBy(rig.gateway, key), 0);
  });
});

Deno.test("route/explain reserves the pages of OCR, as a call does", async () => {
  await withOcr({}, async ({ gateway, asked }) => {
    const reserved = async (engine: string) => {
      const body = requestOn("responses", {
        model: "mock/chat",
        text: question("responses", [paper]),
        plugins: [{ id: "file-parser", pdf: { engine } }],
      });
      const response = await fetch(`${gateway.url}/v1/route/explain`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const { reservation } = asObject(await response.json());
      return Math.round(Number(asObject(reservation).reserved_usd) * 1e9);
    };
    // The text is not known before it is read, so it is the same one token.
    const pages = (await reserved("mistral-ocr") - await reserved("pdf-text")) / PAGE;
    assert.equal(pages, 1);
    assert.equal(asked.length, 0);
  });
});

Deno.test("M1 holds with pages of OCR: no more is spent than there is", async () => {
  await withOcr({}, async (rig) => {
    rig.plan(() => [says("Hi")]);
    const limit = 200_000_000;
    const key = await rig.gateway.addKey({ kind: "api", limit: limit / 1e9 });
    const documents = Array.from({ length: 100 }, (_, at) => {
      // Another file each time, so that none is kept.
      const bytes = new Uint8Array([...madeBytes("scanned.pdf"), ...new TextEncoder().encode(`\n%${at}\n`)]);
      return { name: "scan.pdf", bytes };
    });
    const plugins = [{ id: "file-parser", pdf: { engine: "mistral-ocr" } }];
    const statuses = await Promise.all(
      documents.map(async (one) => (await ask(rig, [one], { key, plugins })).status),
    );
    // All of them are read before the first model is asked, so there may be nothing left for models.
    assert.deepEqual([...new Set(statuses)].filter((status) => status !== 200 && status !== 402), []);
    assert(statuses.includes(402), String(statuses));
    await rig.gateway.ledger.caughtUp();
    assert(await spentBy(rig.gateway, key) <= limit);
    assert(rig.asked.length > 0 && rig.asked.length * 2 * PAGE <= limit, String(rig.asked.length));
  });
});

Deno.test("a workspace's own key of Mistral reads for it, and its owner pays", async () => {
  const env = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64() };
  await withOcr({ env }, async (rig) => {
    const body = { provider: "mistral", key: "own-key-of-the-workspace", name: "Ours" };
    const made = await managed(rig.gateway, { call: "POST /byok", body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    rig.plan(() => [says("Hi")]);
    const { key } = await createKey(rig.gateway, { limit: 1 });
    const sent = await ask(rig, [scan], { key });
    assert.equal(sent.status, 200, sent.text);
    assert.equal(rig.asked[0]?.authorization, "Bearer own-key-of-the-workspace");
    assert(await spentBy(rig.gateway, key) < PAGE, "only the model is paid");
  });
});

Deno.test("cloudflare-ai is Cloudflare where its account is set, else the local reader", async () => {
  const asked: string[] = [];
  await using cloudflare = httpStub(async (request) => {
    const file = (await request.formData()).get("files");
    assert(file instanceof File);
    asked.push(
      `${new URL(request.url).pathname} ${request.headers.get("authorization")} ${file.name} ${file.type}`,
    );
    const result = [{ name: file.name, format: "markdown", data: "Told by Cloudflare." }];
    return Response.json({ success: true, result });
  });
  const env = {
    CLOUDFLARE_ACCOUNT_ID: "account",
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_BASE_URL: cloudflare.url,
  };
  await withOcr({ env }, async (rig) => {
    for (const engine of ["cloudflare-ai", "pdf-text"]) {
      rig.plan(() => [says("Hi")]);
      const document = { ...paper, name: `${engine}.pdf` };
      const body = chatBody([document], { plugins: [{ id: "file-parser", pdf: { engine } }] });
      const answer = await askWith(rig.gateway, { api: "chat", stream: true, body });
      assert.match(bodyOf(rig), /Told by Cloudflare\./);
      assert.equal(asObject(stagesOf(answer)[0]?.data).engine, "cloudflare-ai");
    }
    assert.deepEqual(asked, [
      "/accounts/account/ai/tomarkdown Bearer token cloudflare-ai.pdf application/pdf",
    ]);
  });
});

Deno.test("a gateway without a keeper says that documents cannot be read", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const plugins = [{ id: "file-parser", pdf: { engine: "pdf-text" } }];
  const body = requestOn("chat", { model: "local/echo", text: question("chat", [paper]), plugins });
  const sent = await send(gateway, { api: "chat", body });
  assert.equal(sent.status, 503, sent.text);
});

Deno.test("a child process reads for a request, as in the gateway", async () => {
  await using reader = readerRig();
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" }, keeper: reader.keeper });
  const plugins = [{ id: "file-parser", pdf: { engine: "pdf-text" } }];
  const body = requestOn("chat", { model: "local/echo", text: question("chat", [paper]), plugins });
  const sent = await send(gateway, { api: "chat", body });
  assert.match(sent.text, /turnpoint/);
});
