import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { Json } from "../support/event_stream.ts";
import { readError } from "../support/call.ts";
import { type Gateway, PROVIDER_KEY, startGateway } from "../support/gateway.ts";

/** A provider that records the path of every call. */
interface Recorder extends AsyncDisposable {
  readonly url: string;
  readonly paths: readonly string[];
}

function startRecorder(): Recorder {
  const paths: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    paths.push(pathname + search);
    await request.text();
    return pathname === "/token"
      ? Response.json({ access_token: "token", expires_in: 3_599 })
      : new Response(null, { status: 500 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    paths,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
  .export({ type: "pkcs8", format: "pem" }).toString();

const wires = ["responses", "chat", "messages", "gemini", "bedrock"];

/** Every provider whose callers name its models themselves, each at `url`. */
const options = (url: string) => ({
  providers: wires.map((wire) => ({
    id: `open-${wire}`,
    wire,
    base_url: `${url}/v1`,
    api_key_env: "MOCK_KEY",
    open: true,
  })),
  env: {
    OPENAI_API_KEY: PROVIDER_KEY,
    OPENAI_BASE_URL: `${url}/v1`,
    GROQ_API_KEY: PROVIDER_KEY,
    GROQ_BASE_URL: `${url}/v1`,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    ANTHROPIC_BASE_URL: `${url}/v1`,
    GEMINI_API_KEY: PROVIDER_KEY,
    GEMINI_BASE_URL: `${url}/v1beta`,
    AZURE_OPENAI_ENDPOINT: url,
    AZURE_OPENAI_API_KEY: PROVIDER_KEY,
    VERTEX_SERVICE_ACCOUNT: JSON.stringify({
      project_id: "project",
      private_key: privateKey,
      client_email: "gateway@project.iam.gserviceaccount.com",
      token_uri: `${url}/token`,
    }),
    VERTEX_BASE_URL: `${url}/v1`,
    BEDROCK_REGION: "eu-west-1",
    BEDROCK_BASE_URL: url,
    AWS_BEARER_TOKEN_BEDROCK: PROVIDER_KEY,
  },
});

const ids = [
  ...wires.map((wire) => `open-${wire}`),
  ...["openai", "groq", "anthropic", "google", "azure", "azure-chat", "azure-tts"],
  ...["google-vertex", "google-vertex-anthropic", "bedrock"],
];

/** Behind the provider's name; with a variant the segment still decides. */
const names = [
  ...["../../any/path", "..", ".", "../x", "x/..", "x/../y", "./x", "x/.", "x/./y", "tunedModels/../../x"],
  ...["/x", "x/", "x//y", "/", "..:free", "x/..:nitro"],
];

const bodies: Readonly<Record<string, Json>> = {
  responses: { input: "Hi" },
  "chat/completions": { messages: [{ role: "user", content: "Hi" }] },
  messages: { messages: [{ role: "user", content: "Hi" }], max_tokens: 5 },
  "messages/count_tokens": { messages: [{ role: "user", content: "Hi" }] },
  "audio/speech": { input: "Hi", voice: "any" },
};

const streamed = (path: string) => /speech|count/.test(path) ? [undefined] : [false, true];

const post = ({ url, apiKey }: Gateway, { path, body }: { readonly path: string; readonly body: Json }) =>
  fetch(`${url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

for (const [path, body] of Object.entries(bodies)) {
  Deno.test(`POST /v1/${path} refuses model names with a segment that steers the provider's path`, async () => {
    await using recorder = startRecorder();
    await using gateway = await startGateway(options(recorder.url));
    for (const id of ids) {
      for (const name of names) {
        for (const stream of streamed(path)) {
          const model = `${id}/${name}`;
          const response = await post(gateway, { path, body: { ...body, model, stream } });
          assert.equal(response.status, 404, `${model}, stream ${stream}`);
          await response.text();
        }
      }
    }
    assert.deepEqual(recorder.paths, []);
  });
}

Deno.test("Model names with a slash reach every wire and cloud below the provider's base URL", async () => {
  await using recorder = startRecorder();
  await using gateway = await startGateway(options(recorder.url));
  for (const id of ids.filter((one) => one !== "azure-tts")) {
    const model = `${id}/acme/one:v1..2`;
    await readError(await post(gateway, { path: "responses", body: { model, input: "Hi" } }));
  }
  const vertex = "/v1/projects/project/locations/global/publishers";
  assert.deepEqual(recorder.paths.filter((path) => path !== "/token"), [
    "/v1/responses",
    "/v1/chat/completions",
    "/v1/messages",
    "/v1/acme/one%3Av1..2:generateContent",
    "/v1/model/acme%2Fone%3Av1..2/converse",
    "/v1/responses",
    "/v1/chat/completions",
    "/v1/messages",
    "/v1beta/acme/one%3Av1..2:generateContent",
    "/openai/v1/responses",
    "/openai/deployments/acme%2Fone%3Av1..2/chat/completions?api-version=2024-10-21",
    `${vertex}/google/acme/one%3Av1..2:generateContent`,
    `${vertex}/anthropic/models/acme%2Fone%3Av1..2:rawPredict`,
    "/model/acme%2Fone%3Av1..2/converse",
  ]);
});

Deno.test("A configured model whose upstream name holds such a segment stops the start", async () => {
  for (const upstream of ["../x", "x//y", "x/."]) {
    const provider = { id: "acme", wire: "gemini", base_url: "http://127.0.0.1:9/v1" };
    const models = [{ id: "acme/one", upstream_id: upstream }];
    await assert.rejects(
      startGateway({ providers: [{ ...provider, models }] }),
      /providers\[0\]\.models\[0\]\.upstream_id is .*no segment is empty, "\." or "\.\."/,
    );
    const named = [{ id: `acme/${upstream}` }];
    await assert.rejects(startGateway({ providers: [{ ...provider, models: named }] }), /models\[0\]\.id is/);
  }
});
