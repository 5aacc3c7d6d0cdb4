/** The image of deploy/Dockerfile: its file tree is built step by step, and started as a container would be. */

import assert from "node:assert/strict";
import { need } from "../support/need.ts";
import { pdfOf } from "../support/pdf.ts";
import { until } from "../support/until.ts";
import { buildImage, type Image } from "./image_tree.ts";
import { runImage, type RunningImage } from "./run_image.ts";

/** Bytes of all files. */
const MOST_BYTES = 350e6;

const isThere = (program: string) =>
  ["/usr/sbin", "/usr/bin", "/sbin", "/bin"].some((folder) => {
    try {
      return Deno.statSync(`${folder}/${program}`).isFile;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  });

const canBuild = need(
  Deno.build.os === "linux" && Deno.uid() === 0 && ["bwrap", "debootstrap", "unshare"].every(isThere),
  { what: "Linux, root, bubblewrap and debootstrap", for: "The tests of the image" },
);

async function sizeOf(folder: string): Promise<number> {
  const { stdout } = await new Deno.Command("du", { args: ["-s", "--apparent-size", "-B1", folder] })
    .output();
  return Number.parseInt(new TextDecoder().decode(stdout));
}

async function answerOf({ url, apiKey }: RunningImage, body: object): Promise<string> {
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "local/echo", ...body }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

async function upload({ url, apiKey }: RunningImage, file: File): Promise<void> {
  const body = new FormData();
  body.append("purpose", "user_data");
  body.append("file", file);
  const response = await fetch(`${url}/v1/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body,
  });
  assert.equal(response.status, 200, await response.text());
}

/** Serves a page in ISO 8859-1 that does not say so. */
function startPage(): { readonly url: string; readonly close: () => Promise<void> } {
  const words = "Es ist nicht leicht, die M\u00e4rchen f\u00fcr gro\u00dfe Kinder zu erz\u00e4hlen. ";
  const text = `<html><body><p>${words.repeat(20)}Gr\u00fc\u00dfe an alle</p></body></html>`;
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(bytes, { headers: { "content-type": "text/html" } }),
  );
  return { url: `http://127.0.0.1:${server.addr.port}/`, close: () => server.shutdown() };
}

interface Use {
  readonly image: RunningImage;
  readonly engine: string;
  /** Address of a page. */
  readonly page: string;
}

/** Uses each part of the program that is loaded when it is needed. */
async function useEverything(t: Deno.TestContext, { image, engine, page }: Use): Promise<void> {
  await t.step("answers, streamed and whole", async () => {
    assert.match(await answerOf(image, { input: "Say hello", stream: true }), /response\.completed/);
    assert.match(await answerOf(image, { input: "Say hello" }), /hello/i);
    assert.equal(await image.health(), 0);
  });
  await t.step("shows the console", async () => {
    const page = await (await fetch(`${image.url}/console`)).text();
    const scripts = [...page.matchAll(/src="([^"]+\.js)"/g)].map(([, path = ""]) => path);
    assert(scripts.length > 0, page);
    for (const path of scripts) {
      const response = await fetch(new URL(path, `${image.url}/console/`));
      await response.body?.cancel();
      assert.equal(response.status, 200, path);
    }
  });
  await t.step("finds what stands in a document", async () => {
    const pdf = pdfOf({ pages: ["Llamas on a page"] });
    await upload(image, new File([pdf], "one.pdf", { type: "application/pdf" }));
    const answer = await answerOf(image, {
      input: `Use the file_search tool with: ${JSON.stringify({ queries: ["llamas"] })}`,
      include: ["file_search_call.results"],
      tools: [{ type: "file_search", vector_store_ids: ["workspace"] }],
    });
    assert.match(answer, /Llamas on a page/);
  });
  await t.step("reads a page whose letters have to be guessed", async () => {
    const input = `Use the web_fetch tool with: ${JSON.stringify({ url: page })}`;
    assert.match(
      await answerOf(image, { input, tools: [{ type: "service:web_fetch" }] }),
      /Gr\u00fc\u00dfe an alle/,
    );
  });
  await t.step(`runs commands and Python in ${engine}`, async () => {
    const command = "echo '{\"a\": 41}' | jq '.a + 1' && python3 -c 'print(6 * 7 * 100)'";
    // As long as a command may take: the machine may be busy.
    const input = `Use the bash tool with: ${JSON.stringify({ command, timeout_ms: 300_000 })}`;
    const answer = await answerOf(image, { input, tools: [{ type: "service:bash", engine: "container" }] });
    assert.match(answer, /42\\n4200\\n/);
  });
  await t.step("draws and counts", async () => {
    const request = { model: "local/image", input: "A red circle", modalities: ["image"] };
    const drawn = await answerOf(image, request);
    assert.match(drawn, /data:image\/|iVBORw0KGgo/);
    const counted = await fetch(`${image.url}/v1/messages/count_tokens`, {
      method: "POST",
      headers: { "x-api-key": image.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ model: "local/echo", messages: [{ role: "user", content: "Hello there" }] }),
    });
    assert((await counted.json()).input_tokens > 0);
  });
  await t.step("asked for nothing that is not there", () => {
    const missing = image.log().split("\n").filter((line) =>
      /not cached|--cached-only|Cannot find|NotFound/.test(line)
    );
    assert.deepEqual(missing, []);
  });
}

/** A folder of the image's user; or, as Kubernetes mounts a volume, one of root's that the user's group may write to. */
async function withVolume(run: (data: string) => Promise<void>, isMounted = false): Promise<void> {
  const data = await Deno.makeTempDir();
  try {
    await Deno.chown(data, isMounted ? 0 : 1993, 1993);
    if (isMounted) await Deno.chmod(data, 0o2770);
    await run(data);
  } finally {
    await Deno.remove(data, { recursive: true });
  }
}

async function testImage(t: Deno.TestContext, image: Image): Promise<void> {
  const size = await sizeOf(image.root);
  console.log(`The image has ${Math.round(size / 1e6)} MB`);
  assert(size <= MOST_BYTES, `at most ${MOST_BYTES / 1e6} MB`);
  assert.equal(image.user, "1993");
  for (const engine of ["bubblewrap", "virtual"]) {
    await withVolume((data) => useTwice(t, { image, engine, data }));
  }
  await withVolume((data) => useMounted(t, { image, data }), true);
}

/** A pod of the chart: the gateway makes a folder of its own in the volume, and reads its settings again by a signal. */
async function useMounted(t: Deno.TestContext, { image, data }: Omit<UseTwice, "engine">): Promise<void> {
  await using running = await runImage(image, { data, env: { TOLLGATE_DATA: "/data/tollgate" } });
  await t.step("answers on a volume of root's that its group may write to", async () => {
    assert.match(await answerOf(running, { input: "Say hello" }), /hello/i);
    assert.equal(((await Deno.stat(`${data}/tollgate`)).mode ?? 0) & 0o077, 0);
  });
  await t.step("reads its settings again by a signal to its first process", async () => {
    await running.send("HUP");
    await until(() => running.log().includes("Settings reloaded"));
    assert.equal(await running.stop(), 0);
  });
}

interface UseTwice {
  readonly image: Image;
  readonly engine: string;
  readonly data: string;
}

/** A container, and a second one on the same volume. */
async function useTwice(t: Deno.TestContext, { image, engine, data }: UseTwice): Promise<void> {
  const page = startPage();
  const settings = { fetch: { allowed_hosts: [new URL(page.url).host] } };
  await Deno.writeTextFile(`${data}/tollgate.jsonc`, JSON.stringify(settings));
  const env = { TOLLGATE_SANDBOX: engine, TOLLGATE_CONFIG: "/data/tollgate.jsonc" };
  try {
    await using first = await runImage(image, { data, env });
    await useEverything(t, { image: first, engine, page: page.url });
    await t.step("ends with SIGTERM, status 0", async () => assert.equal(await first.stop(), 0));
    await using second = await runImage(image, { data, env });
    await t.step("keeps its keys in the volume", async () => {
      assert.equal(second.apiKey, first.apiKey);
      assert.match(await answerOf(second, { input: "Say hello again" }), /hello again/i);
    });
  } finally {
    await page.close();
  }
}

Deno.test({
  name:
    "the image's gateway starts as its user on a read-only root without a network, and has all that it uses",
  ignore: !canBuild,
  fn: async (t) => {
    const folder = await Deno.makeTempDir();
    try {
      await testImage(t, await buildImage(folder));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
