import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { decode } from "fast-png";
import { imageSize } from "image-size";
import OpenAI from "openai";
import { fakeClock } from "../support/clock.ts";
import { type Json, type Rig, textOf, withLocal } from "./rig.ts";

function test(name: string, run: (rig: Rig) => Promise<void>): void {
  Deno.test(name, () => withLocal(run, { clock: fakeClock() }));
}

const small = { size: "192x128" };

/** A request for a small image. */
function drawn(input: string, more: Json = {}): Json {
  return { model: "local/image", input, image_config: small, ...more };
}

const imageIn = ({ output }: Json): Json => output.find(({ type }: Json) => type === "image_generation_call");

function pixelsOf(base64: string) {
  const { width, height, data, channels, palette } = decode(Buffer.from(base64, "base64"));
  const colours = palette === undefined ? new Set<string>() : new Set(palette.map(String));
  if (palette === undefined) {
    for (let at = 0; at < data.length; at += channels) colours.add(String(data.slice(at, at + channels)));
  }
  return { width, height, colours: colours.size };
}

test("image draws a PNG of the size that is asked for", async ({ ask }) => {
  const answer = await ask(drawn("a red house"));
  assert.equal(answer.status, "completed");
  assert.deepEqual(answer.output.map(({ type }: Json) => type), ["image_generation_call", "message"]);
  const { result, ...rest } = imageIn(answer);
  assert.match(rest.id, /^ig_\w{24}$/);
  assert.deepEqual({ ...rest, id: "" }, {
    id: "",
    type: "image_generation_call",
    status: "completed",
    action: "generate",
    background: "opaque",
    output_format: "png",
    quality: "medium",
    size: "192x128",
    revised_prompt: "a red house",
  });
  const { width, height, colours } = pixelsOf(result);
  assert.deepEqual([width, height], [192, 128]);
  assert.ok(colours > 50, `${colours} colours are a drawing`);
  assert.match(
    textOf({ output: answer.output.slice(1) }),
    /^This is a simulated picture of 192×128 pixels\./,
  );
});

test("image draws the same picture for the same words, and another for others", async ({ ask }) => {
  const result = async (body: Json): Promise<string> => imageIn(await ask(body)).result;
  const one = await result(drawn("a cat"));
  assert.equal(await result(drawn("a cat")), one);
  const others = [drawn("a dog"), drawn("a cat", { image_config: { ...small, quality: "high" } }), drawn("")];
  for (const body of others) assert.notEqual(await result(body), one);
});

test("image draws the same picture in another thread", async ({ ask }) => {
  const bytes = imageIn(await ask(drawn("Füchse, лисы"))).result;
  await withLocal(async (other) => {
    assert.equal(imageIn(await other.ask(drawn("Füchse, лисы"))).result, bytes);
  }, { clock: fakeClock() });
});

test("image takes sizes and shapes in the words of several providers", async ({ ask }) => {
  const cases: readonly (readonly [Json, readonly number[]])[] = [
    [{ image_config: { aspect_ratio: "16:9", image_size: "512" } }, [688, 384]],
    [{ image_config: { aspect_ratio: "1:1", image_size: "0.5K" } }, [512, 512]],
    [{ image_config: { aspect_ratio: "9:16", size: "512" } }, [384, 688]],
    [{ image_config: undefined, tools: [{ type: "image_generation", size: "64x512" }] }, [64, 512]],
    [{ image_config: {}, tools: [{ type: "image_generation", size: "auto", quality: "low" }] }, [1024, 1024]],
  ];
  for (const [more, size] of cases) {
    const { result } = imageIn(await ask(drawn("x", more)));
    const { width, height, type } = imageSize(Buffer.from(result, "base64"));
    assert.deepEqual([width, height, type], [...size, "png"]);
  }
});

test("image draws JPEGs, WebPs and transparent grounds", async ({ ask }) => {
  for (const [output_format, type] of [["jpeg", "jpg"], ["webp", "webp"]]) {
    const { result } = imageIn(await ask(drawn("x", { image_config: { ...small, output_format } })));
    assert.equal(imageSize(Buffer.from(result, "base64")).type, type);
  }
  const { result } = imageIn(
    await ask(drawn("x", { image_config: { ...small, background: "transparent" } })),
  );
  const { data, channels, palette } = decode(Buffer.from(result, "base64"));
  assert.equal(palette === undefined ? channels : palette[data[0] ?? 0]?.length, 4);
});

test("image refuses what is absurd, and names the place", async ({ post }) => {
  const tool = (fields: Json) => ({
    image_config: undefined,
    tools: [{ type: "image_generation", ...fields }],
  });
  const cases: readonly (readonly [Json, string])[] = [
    [tool({ size: "99999x99999" }), "tools[0].size"],
    [tool({ size: "4096x4096" }), "tools[0].size"],
    [tool({ size: "1x1" }), "tools[0].size"],
    [tool({ size: "64x2048" }), "tools[0].size"],
    [tool({ size: "huge" }), "tools[0].size"],
    [tool({ partial_images: 4 }), "tools[0].partial_images"],
    [tool({ quality: "best" }), "tools[0].quality"],
    [tool({ output_format: "jpeg", background: "transparent" }), "tools"],
    [{ image_config: { image_size: "4K" } }, "image_config"],
    [{ image_config: { aspect_ratio: "0:0" } }, "image_config"],
    [{ image_config: { aspect_ratio: "99:1" } }, "image_config"],
    [{ image_config: { aspect_ratio: 5 } }, "image_config.aspect_ratio"],
  ];
  for (const [more, param] of cases) {
    const response = await post(drawn("x", more));
    const { error } = await response.json();
    assert.deepEqual([response.status, error.param, error.type], [400, param, "invalid_request_error"]);
  }
});

test("image counts a picture by its patches, its quality and its partial ones", async ({ ask, stream }) => {
  const only = { modalities: ["image"] };
  const cost = async (image_config: Json) =>
    (await ask(drawn("x", { ...only, image_config }))).usage.output_tokens;
  assert.equal(await cost(small), 24);
  assert.equal(await cost({ ...small, quality: "low" }), 6);
  assert.equal(await cost({ ...small, quality: "high" }), 96);
  const events = await stream(drawn("x", { ...only, image_config: { ...small, partial_images: 2 } }));
  assert.equal(events.at(-1)?.response.usage.output_tokens, 224);
});

test("image keeps to max_output_tokens: a picture is whole or not at all", async ({ ask }) => {
  const none = await ask(drawn("x", { max_output_tokens: 23 }));
  assert.deepEqual([none.status, none.output, none.usage.output_tokens], ["incomplete", [], 0]);
  assert.deepEqual(none.incomplete_details, { reason: "max_output_tokens" });
  const cut = await ask(drawn("x", { max_output_tokens: 26 }));
  assert.equal(cut.status, "incomplete");
  assert.deepEqual(cut.output.map(({ status }: Json) => status), ["completed", "incomplete"]);
  const exact = await ask(drawn("x", { max_output_tokens: 24, modalities: ["image"] }));
  assert.deepEqual([exact.status, exact.usage.output_tokens], ["completed", 24]);
});

test("image tells the making of a picture in the order of the wire", async ({ stream }) => {
  const config = { ...small, partial_images: 3 };
  const events = await stream(drawn("a green tree", { image_config: config, modalities: ["image"] }));
  assert.deepEqual(events.map(({ type }) => type.replace("response.", "")), [
    "created",
    "in_progress",
    "output_item.added",
    "image_generation_call.in_progress",
    "image_generation_call.generating",
    "image_generation_call.partial_image",
    "image_generation_call.partial_image",
    "image_generation_call.partial_image",
    "image_generation_call.completed",
    "output_item.done",
    "completed",
  ]);
  const partials = events.filter(({ partial_image_b64 }) => partial_image_b64);
  assert.deepEqual(partials.map(({ partial_image_index }) => partial_image_index), [0, 1, 2]);
  const files = [...partials.map(({ partial_image_b64 }) => partial_image_b64), events[9]?.item.result];
  for (const file of files) assert.deepEqual([pixelsOf(file).width, pixelsOf(file).height], [192, 128]);
  assert.equal(new Set(files).size, 4);
  assert.deepEqual([events[2]?.item.result, events[2]?.item.status], [null, "in_progress"]);
});

test("image says no picture when it is told not to, or has to refuse", async ({ ask }) => {
  for (const more of [{ modalities: ["text"] }, { tool_choice: "none" }]) {
    assert.deepEqual((await ask(drawn("hi", more))).output.map(({ type }: Json) => type), ["message"]);
  }
  const refused = await ask(drawn("please refuse"));
  assert.deepEqual(refused.output.map(({ type }: Json) => type), ["message"]);
  assert.equal(refused.output[0].content[0].type, "refusal");
});

test("echo draws only where it has to", async ({ ask, post }) => {
  const tools = [{ type: "image_generation", size: "64x64" }];
  const types = async (body: Json) =>
    (await ask({ input: "x", ...body })).output.map(({ type }: Json) => type);
  assert.deepEqual(await types({ tools }), ["message"]);
  const forced = { tools, tool_choice: { type: "image_generation" } };
  assert.deepEqual(await types(forced), ["image_generation_call", "message"]);
  assert.deepEqual(await types({ tools, tool_choice: "required" }), ["image_generation_call", "message"]);
  const response = await post({ model: "local/echo", input: "x", tool_choice: forced.tool_choice });
  assert.equal((await response.json()).error.param, "tool_choice");
});

test("image's largest picture stays far below the most that an event may have", async ({ stream }) => {
  const image_config = { size: "2048x2048", quality: "high" };
  const events = await stream(drawn("a very large picture ".repeat(20), { image_config }));
  const largest = Math.max(...events.map((event) => JSON.stringify(event).length));
  assert.ok(largest < 4 * 1024 * 1024, `${largest} characters`);
});

test("image paints several at a time, and sends those away that are too many", async ({ post }) => {
  const all = await Promise.all(Array.from({ length: 20 }, async (_, at) => {
    const response = await post(drawn(`picture ${at}`));
    const { error } = await response.json();
    return response.status === 200 ? 200 : `${error.code} ${response.headers.get("retry-after")}`;
  }));
  assert.ok(all.includes(200));
  assert.deepEqual(new Set(all.filter((one) => one !== 200)), new Set(["rate_limit_exceeded 2"]));
});

Deno.test("image gives up on a picture that takes too long, and paints the next", async () => {
  const clock = fakeClock();
  const { Worker } = globalThis;
  /** Paints nothing, however long it is given. */
  globalThis.Worker = class extends Worker {
    override postMessage() {}
  };
  await withLocal(async ({ post, ask }) => {
    const late = post(drawn("slow"));
    // One deadline is the connections'.
    await clock.advanceOnce(() => clock.open > 1, 60_000);
    const response = await late.finally(() => {
      globalThis.Worker = Worker;
    });
    assert.equal(response.status, 500);
    assert.equal((await response.json()).error.type, "server_error");
    assert.equal((await ask(drawn("quick"))).status, "completed");
    assert.equal(clock.open, 1);
  }, { clock });
});

test("image is drawn in a thread without permissions", async ({ ask }) => {
  const { Worker } = globalThis;
  const permissions: unknown[] = [];
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      permissions.push(options?.deno?.permissions);
    }
  };
  try {
    assert.equal((await ask(drawn("a locked room"))).status, "completed");
    assert.deepEqual(permissions, ["none"]);
  } finally {
    globalThis.Worker = Worker;
  }
});

test("the official client takes a picture, whole and streamed", async ({ baseUrl, headers }) => {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: "unused", defaultHeaders: headers, maxRetries: 0 });
  const body = {
    model: "local/image",
    input: "a blue boat",
    tools: [{ type: "image_generation", size: "256x256", partial_images: 1 } as const],
    tool_choice: { type: "image_generation" } as const,
  };
  const whole = await client.responses.create(body);
  const stream = client.responses.stream(body);
  const seen: string[] = [];
  for await (const event of stream) seen.push(event.type);
  const final = await stream.finalResponse();
  const [one, two] = [whole, final].map(({ output }) =>
    output.find(({ type }) => type === "image_generation_call")
  );
  assert.ok(one?.type === "image_generation_call" && two?.type === "image_generation_call");
  assert.equal(two.result, one.result);
  assert.deepEqual(pixelsOf(one.result ?? "").width, 256);
  assert.equal(seen.filter((type) => type.endsWith("partial_image")).length, 1);
});
