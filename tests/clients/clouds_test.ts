import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import OpenAI from "openai";
import { startBedrockMock } from "../mocks/bedrock_upstream.ts";
import { startChatMock } from "../mocks/chat_upstream.ts";
import { startGeminiMock } from "../mocks/gemini_upstream.ts";
import { startMessagesMock } from "../mocks/messages_upstream.ts";
import { startResponsesMock } from "../mocks/responses_upstream.ts";
import type { Mock } from "../mocks/serve.ts";
import { type Forwarded, type Front, type Fronted, startFront } from "../support/cloud_front.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

interface Rig {
  readonly front: Front;
  readonly gateway: Gateway;
  readonly client: OpenAI;
}

interface Setting {
  readonly mock: Mock;
  readonly answer: (request: Fronted) => Forwarded | Response;
  /** The environment, once it is known where the cloud stands. */
  readonly env: (url: string) => Readonly<Record<string, string>>;
}

async function inCloud({ mock, answer, env }: Setting, test: (rig: Rig) => Promise<void>): Promise<void> {
  const front = startFront(mock, answer);
  try {
    await using gateway = await startGateway({ env: env(front.url) });
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
    await test({ front, gateway, client });
  } finally {
    await front.close();
  }
}

/** The same question streamed and whole, three times at once each. */
async function talks({ client }: Rig, model: string): Promise<void> {
  const body = { model, input: "Hello", max_output_tokens: 50 };
  const whole = await Promise.all([1, 2, 3].map(() => client.responses.create(body)));
  const streams = await Promise.all([1, 2, 3].map(() => client.responses.stream(body).finalResponse()));
  for (const { output_text: text } of [...whole, ...streams]) assert.equal(text, "You said: Hello");
}

const refusedKey = () =>
  Response.json({ error: { code: "401", message: "Access denied." } }, { status: 401 });
const countOf = ({ requests }: Front, part: string) =>
  requests.filter(({ path }) => path.includes(part)).length;

const AZURE_KEY = "azure-key-0123456789abcdef0123456789";

Deno.test("Azure OpenAI is asked for Responses below /openai/v1, with its key in api-key", () =>
  inCloud({
    mock: startResponsesMock(),
    answer: ({ path, headers, body }) => {
      if (headers.get("api-key") !== AZURE_KEY || headers.has("authorization")) return refusedKey();
      return path === "/openai/v1/responses"
        ? { path: "/responses", body }
        : new Response(null, { status: 404 });
    },
    env: (url) => ({ AZURE_OPENAI_ENDPOINT: url, AZURE_OPENAI_API_KEY: AZURE_KEY }),
  }, async (rig) => {
    await talks(rig, "azure/my-deployment");
    assert.equal(rig.front.requests[0]?.body.model, "my-deployment");
    assert.doesNotMatch(rig.gateway.logged.join("\n"), /azure-key-/);
  }));

Deno.test("Azure OpenAI is asked for Chat Completions at the deployment, with the version and a given token", () =>
  inCloud({
    mock: startChatMock(),
    answer: ({ path, headers, body }) => {
      if (headers.get("authorization") !== "Bearer entra-token") return refusedKey();
      const expected = "/openai/deployments/my-deployment/chat/completions?api-version=2025-01-01-preview";
      return path === expected ? { path: "/chat/completions", body } : new Response(path, { status: 404 });
    },
    env: (url) => ({
      AZURE_OPENAI_ENDPOINT: url,
      AZURE_OPENAI_AD_TOKEN: "entra-token",
      AZURE_OPENAI_API_VERSION: "2025-01-01-preview",
    }),
  }, async (rig) => {
    await talks(rig, "azure-chat/my-deployment");
    const { client } = rig;
    await assert.rejects(() => client.responses.create({ model: "azure-chat/other", input: "Hi" }));
    assert.match(
      rig.front.requests.at(-1)?.path ?? "",
      /deployments\/other\/chat\/completions\?api-version=/,
    );
  }));

Deno.test("Azure OpenAI is signed in at with an application's secret, once, and anew when the token is refused", async () => {
  let minted = 0;
  await inCloud({
    mock: startResponsesMock(),
    answer: ({ path, headers, text, body }) => {
      if (path === "/tenant/oauth2/v2.0/token") {
        const form = new URLSearchParams(text);
        assert.equal(form.get("client_secret"), "app-secret-0123456789");
        assert.equal(form.get("grant_type"), "client_credentials");
        assert.equal(form.get("scope"), "https://cognitiveservices.azure.com/.default");
        return Response.json({ token_type: "Bearer", expires_in: 3599, access_token: `token-${++minted}` });
      }
      const stale = headers.get("authorization") !== `Bearer token-${Math.max(1, minted)}`;
      return stale || body.model === "revoked" ? refusedKey() : { path: "/responses", body };
    },
    env: (url) => ({
      AZURE_OPENAI_ENDPOINT: url,
      AZURE_AUTHORITY_HOST: url,
      AZURE_TENANT_ID: "tenant",
      AZURE_CLIENT_ID: "app",
      AZURE_CLIENT_SECRET: "app-secret-0123456789",
    }),
  }, async (rig) => {
    await talks(rig, "azure/dep");
    assert.equal(countOf(rig.front, "/token"), 1, "one token for six calls");
    await assert.rejects(() => rig.client.responses.create({ model: "azure/revoked", input: "Hi" }));
    await rig.client.responses.create({ model: "azure/dep", input: "Hi" });
    assert.equal(countOf(rig.front, "/token"), 2);
    assert.doesNotMatch(rig.gateway.logged.join("\n"), /app-secret|token-\d/);
  });
});

Deno.test("a sign-in that is refused is a 502 each time, its code is logged, and nothing secret is told", () =>
  inCloud({
    mock: startResponsesMock(),
    answer: ({ text }) =>
      Response.json({ error: "invalid_client", error_description: text }, { status: 401 }),
    env: (url) => ({
      AZURE_OPENAI_ENDPOINT: url,
      AZURE_AUTHORITY_HOST: url,
      AZURE_TENANT_ID: "tenant",
      AZURE_CLIENT_ID: "app",
      AZURE_CLIENT_SECRET: "app-secret-0123456789",
    }),
  }, async ({ client, gateway }) => {
    for (let calls = 0; calls < 5; calls++) {
      await assert.rejects(() => client.responses.create({ model: "azure/dep", input: "Hi" }), (error) => {
        assert.ok(error instanceof OpenAI.APIError);
        assert.equal(error.status, 502);
        assert.match(
          error.message,
          /refuses the gateway's key \(sign-in: it is wrong, expired or disabled\)/,
        );
        assert.doesNotMatch(JSON.stringify(error.error) + gateway.logged.join("\n"), /app-secret/);
        return true;
      });
    }
    assert.match(gateway.logged.join("\n"), /sign-in service: it answered 401 \(invalid_client\)/);
  }));

const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
const privateKey = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();

const serviceAccount = (url: string) =>
  JSON.stringify({
    type: "service_account",
    project_id: "my-project",
    private_key_id: "key-1",
    private_key: privateKey,
    client_email: "gateway@my-project.iam.gserviceaccount.com",
    token_uri: `${url}/token`,
  });

/** Google's sign-in: takes an assertion that the account's key has signed. */
function signIn({ text }: Fronted, url: string): Response {
  const assertion = new URLSearchParams(text).get("assertion") ?? "";
  const [header = "", claims = "", signature = ""] = assertion.split(".");
  const genuine = verify(
    "RSA-SHA256",
    new TextEncoder().encode(`${header}.${claims}`),
    pair.publicKey,
    Uint8Array.fromBase64(signature, { alphabet: "base64url" }),
  );
  const payload: unknown = JSON.parse(
    new TextDecoder().decode(Uint8Array.fromBase64(claims, { alphabet: "base64url" })),
  );
  assert.ok(typeof payload === "object" && payload !== null && "aud" in payload && "iss" in payload);
  assert.equal(payload.aud, `${url}/token`);
  assert.equal(payload.iss, "gateway@my-project.iam.gserviceaccount.com");
  if (!genuine) return Response.json({ error: "invalid_grant" }, { status: 400 });
  return Response.json({ access_token: "ya29.token", expires_in: 3599, token_type: "Bearer" });
}

const vertex = (mock: Mock, forward: (request: Fronted) => Forwarded | Response): Setting => {
  let base = "";
  return {
    mock,
    answer: (request) => {
      if (request.path === "/token") return signIn(request, base);
      return request.headers.get("authorization") === "Bearer ya29.token" ? forward(request) : refusedKey();
    },
    env: (url) => {
      base = url;
      return {
        VERTEX_SERVICE_ACCOUNT: serviceAccount(url),
        VERTEX_BASE_URL: `${url}/v1`,
        VERTEX_LOCATION: "europe-west4",
      };
    },
  };
};

const PLACE = "/v1/projects/my-project/locations/europe-west4/publishers";

Deno.test("Vertex AI is asked for Gemini's models with a service account's token", () =>
  inCloud(
    vertex(startGeminiMock(), ({ path, body }) => {
      const [, rest] = path.split(`${PLACE}/google`);
      return rest === undefined ? new Response(null, { status: 404 }) : { path: rest, body };
    }),
    async (rig) => {
      await talks(rig, "google-vertex/gemini-4-mock");
      await talks(rig, "google/gemini-3.8-flash");
      assert.equal(countOf(rig.front, "/token"), 1);
      assert.doesNotMatch(rig.gateway.logged.join("\n"), /PRIVATE KEY|ya29/);
    },
  ));

Deno.test("Vertex AI is asked for Claude at its own address, with the version in the body", () =>
  inCloud(
    vertex(startMessagesMock(), ({ path, body }) => {
      const { anthropic_version: version, ...rest } = body;
      const verb = body.stream === true ? "streamRawPredict" : "rawPredict";
      const expected = `${PLACE}/anthropic/models/claude-sonnet-4-5%4020250929:${verb}`;
      if (path !== expected || version !== "vertex-2023-10-16" || "model" in body) {
        return new Response(path, { status: 404 });
      }
      return { path: "/messages", body: { ...rest, model: "claude-sonnet-4-5" } };
    }),
    (rig) => talks(rig, "google-vertex-anthropic/claude-sonnet-4-5@20250929"),
  ));

Deno.test("a service account that is none is refused at the start, unquoted", async () => {
  for (const input of ['{"private_key":"-----BEGIN secret"}', "{}"]) {
    await assert.rejects(
      () => startGateway({ env: { VERTEX_SERVICE_ACCOUNT: input } }),
      (error) =>
        error instanceof Error && /VERTEX_SERVICE_ACCOUNT is not usable/.test(error.message) &&
        !error.message.includes("secret"),
    );
  }
});

const AWS_SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

Deno.test("Bedrock is asked for Converse, every call signed, streams in binary messages", () =>
  inCloud({
    mock: startBedrockMock(),
    answer: ({ path, headers, body }) => {
      const signed =
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=\S*host;\S*, Signature=[0-9a-f]{64}$/;
      if (!signed.test(headers.get("authorization") ?? "")) return refusedKey();
      return path.startsWith("/model/eu.anthropic.claude-haiku-4-5-mock-v1%3A0/converse")
        ? { path, body }
        : new Response(path, { status: 404 });
    },
    env: (url) => ({
      BEDROCK_REGION: "eu-west-1",
      BEDROCK_BASE_URL: url,
      AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
      AWS_SECRET_ACCESS_KEY: AWS_SECRET,
    }),
  }, async (rig) => {
    await talks(rig, "bedrock/eu.anthropic.claude-haiku-4-5-mock-v1:0");
    assert.doesNotMatch(rig.gateway.logged.join("\n"), /wJalr/);
  }));

Deno.test("Bedrock takes a key of its own as a bearer", () =>
  inCloud({
    mock: startBedrockMock(),
    answer: ({ path, headers, body }) =>
      headers.get("authorization") === "Bearer bedrock-api-key" ? { path, body } : refusedKey(),
    env: (url) => ({
      BEDROCK_REGION: "us-east-1",
      BEDROCK_BASE_URL: url,
      AWS_BEARER_TOKEN_BEDROCK: "bedrock-api-key",
    }),
  }, (rig) => talks(rig, "bedrock/anthropic.claude-opus-5-5")));
