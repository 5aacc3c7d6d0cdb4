/**
 * An S3 server for tests, on a free port of the loopback and gone at the latest a second after the process that
 * started it. It is moto, which checks signatures and has every request that the gateway sends; npm's s3rver can
 * neither list nor abort multipart uploads.
 */

import assert from "node:assert/strict";
import type { BlobsAddress } from "../../server/config/blobs_address.ts";
import { type S3Keys, signS3Request } from "../../server/storage/blobs/s3_signature.ts";
import { freePort } from "./free_port.ts";
import { need } from "./need.ts";
import { until } from "./until.ts";

const PROGRAM = "moto_server";
/** The first version that was tried: earlier ones take slashes in a query for a wrong signature. */
const VERSION = [5, 2, 5] as const;
const REGION = "us-east-1";

/** The path of the first one that is new enough. */
function findProgram(): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return folders.find((folder) => isNewEnough(versionIn(folder)))?.concat("/", PROGRAM);
}

/** Asked of the Python beside the program; empty where there is none. */
function versionIn(folder: string): readonly number[] {
  const script = "from importlib.metadata import version; print(version('moto'))";
  try {
    Deno.statSync(`${folder}/${PROGRAM}`);
    const { stdout } = new Deno.Command(`${folder}/python3`, { args: ["-c", script] }).outputSync();
    return new TextDecoder().decode(stdout).trim().split(".").map(Number);
  } catch {
    // Not there.
    return [];
  }
}

function isNewEnough(version: readonly number[]): boolean {
  const differing = VERSION.findIndex((part, index) => version[index] !== part);
  return differing === -1 || (version[differing] ?? 0) > (VERSION[differing] ?? 0);
}

const program = findProgram();

/** True where moto is installed; else the tests that need it are skipped, aloud. */
export function hasS3(): boolean {
  const version = VERSION.join(".");
  return need(program !== undefined, {
    what: `${PROGRAM} ${version} or later on the PATH (pip install 'moto[s3]>=${version}' flask flask-cors)`,
    for: "The tests of blobs in S3",
  });
}

export interface S3Server {
  /** Its origin. */
  readonly endpoint: string;
  /** Keys of a user who may do everything. */
  readonly keys: S3Keys;
  /** Makes an empty bucket and gives its address. */
  createBucket(): Promise<BlobsAddress>;
}

let shared: Promise<S3Server> | undefined;

/** The server that the tests of one file share, each with buckets of its own. It goes with the process. */
export function sharedS3(): Promise<S3Server> {
  shared ??= startS3();
  return shared;
}

async function startS3(): Promise<S3Server> {
  const port = freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  await startDetached(port);
  await until(() => responds(`${endpoint}/moto-api/`), { what: "the start of moto" });
  const keys = await createUser(endpoint);
  // From now on it checks keys and signatures.
  await post(`${endpoint}/moto-api/reset-auth`, new Blob(["0"]));
  return { endpoint, keys, createBucket: () => createBucket(endpoint, keys) };
}

/** Starts it below a small shell that waits for the end of this process, and that holds no streams of it. */
async function startDetached(port: number): Promise<void> {
  assert(program !== undefined, `${PROGRAM} is not installed`);
  // What ends this process may be sent to its whole group, and must not end the shell before its work is done.
  const script = '( "$1" -H 127.0.0.1 -p "$2" & server=$!; trap "" TERM INT HUP; ' +
    'while kill -0 "$3" 2>/dev/null; do sleep 1; done; kill "$server" ) >/dev/null 2>&1 </dev/null &';
  const silent = { stdin: "null", stdout: "null", stderr: "null" } as const;
  const args = ["-c", script, "sh", program, String(port), String(Deno.pid)];
  const { success } = await new Deno.Command("sh", { args, ...silent }).output();
  assert(success, `${PROGRAM} could not be started`);
}

async function responds(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    // It does not listen yet.
    return false;
  }
}

async function createUser(endpoint: string): Promise<S3Keys> {
  const allowAll = { Effect: "Allow", Action: "s3:*", Resource: "*" };
  await callIam(endpoint, { Action: "CreateUser" });
  await callIam(endpoint, {
    Action: "PutUserPolicy",
    PolicyName: "all",
    PolicyDocument: JSON.stringify({ Version: "2012-10-17", Statement: [allowAll] }),
  });
  const created = await callIam(endpoint, { Action: "CreateAccessKey" });
  const field = (name: string) => new RegExp(`<${name}>([^<]+)<`).exec(created)?.[1];
  const [accessKeyId, secretAccessKey] = [field("AccessKeyId"), field("SecretAccessKey")];
  assert(accessKeyId !== undefined && secretAccessKey !== undefined, created);
  return { accessKeyId, secretAccessKey };
}

/** One call of AWS's user management, which moto tells from S3 by the scope of the credential. */
function callIam(endpoint: string, params: Readonly<Record<string, string>>): Promise<string> {
  const scope = `Credential=none/20260101/${REGION}/iam/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host, Signature=none`;
  const body = new URLSearchParams({ ...params, UserName: "tollgate", Version: "2010-05-08" });
  return post(`${endpoint}/`, body, { authorization });
}

async function post(url: string, body: BodyInit, headers: HeadersInit = {}): Promise<string> {
  const response = await fetch(url, { method: "POST", body, headers });
  const text = await response.text();
  assert(response.ok, `${url}: ${text}`);
  return text;
}

async function createBucket(endpoint: string, keys: S3Keys): Promise<BlobsAddress> {
  const bucket = `test-${crypto.randomUUID()}`;
  const url = `${endpoint}/${bucket}`;
  const unsigned = { method: "PUT", url, body: undefined, region: REGION, now: Date.now() };
  const response = await fetch(url, { method: "PUT", headers: await signS3Request(keys, unsigned) });
  const text = await response.text();
  assert(response.ok, text);
  return { bucket, prefix: "", region: REGION, endpoint };
}
