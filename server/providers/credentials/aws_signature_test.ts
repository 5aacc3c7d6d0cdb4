import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { signAwsRequest } from "./aws_signature.ts";

const keys = {
  type: "aws_keys",
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
  service: "bedrock",
} as const;

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text).digest();

/** The signature as AWS documents it, for the headers that are signed. */
function expected(path: string, { names, all, body }: Expected): string {
  const canonical = [
    "POST",
    path,
    "",
    ...names.map((name) => `${name}:${all[name]}`),
    "",
    names.join(";"),
    hash(body),
  ].join("\n");
  const scope = "20261121/us-east-1/bedrock/aws4_request";
  const text = ["AWS4-HMAC-SHA256", "20261121T090000Z", scope, hash(canonical)].join("\n");
  const key = ["us-east-1", "bedrock", "aws4_request"].reduce<Uint8Array>(
    (from, part) => hmac(from, part),
    hmac(`AWS4${keys.secretAccessKey}`, "20261121"),
  );
  return createHmac("sha256", key).update(text).digest("hex");
}

interface Expected {
  readonly names: readonly string[];
  readonly all: Readonly<Record<string, string>>;
  readonly body: string;
}

Deno.test("signAwsRequest signs as AWS documents it, names with a colon included", async () => {
  const body = '{"messages":[]}';
  const url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/acme.one-v1%3A0/converse";
  const call = { url, headers: { "content-type": "application/json" }, body, now: Date.UTC(2026, 10, 21, 9) };
  const headers = await signAwsRequest({ ...keys, sessionToken: "session" }, call);
  assert.equal(headers["x-amz-date"], "20261121T090000Z");
  assert.equal(headers["x-amz-security-token"], "session");
  const [, names = "", signature = ""] =
    /SignedHeaders=([^,]+), Signature=(\w+)/.exec(headers.authorization ?? "") ??
      [];
  const all = { ...call.headers, ...headers, host: "bedrock-runtime.us-east-1.amazonaws.com" };
  const signed = { names: names.split(";"), all, body };
  assert.equal(signature, expected("/model/acme.one-v1%253A0/converse", signed));
  assert.ok(names.split(";").includes("host"));
});
