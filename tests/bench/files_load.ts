/**
 * The load generator for files: `deno run files_load.ts <job as JSON>` sends or fetches files at once, each over a raw
 * connection of its own, and prints the result as JSON.
 */

import * as z from "zod";
import { contentLength, HttpReader, statusOf, writeAll } from "./http.ts";
import { ALL_OPEN, type DownloadsJob, filesJob, type FilesResult, type UploadsJob } from "./job.ts";

/** Bytes that are sent at a time; the size of every file is a multiple of it. */
const BLOCK_BYTES = 256 * 1024;
/** A slow reader takes so many bytes at a time. */
const SLOW_BYTES = 64 * 1024;
const BOUNDARY = "bench-boundary-of-a-multipart-form";
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");

/** Mostly ASCII, with letters of two, three and four bytes; no letter reaches beyond the block. */
function textBlock(): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES).fill(0x2e);
  const line = encoder.encode(
    "A line of an uploaded text: words, numbers 1234567890, größer, naïve, 東京, 🙂.\n",
  );
  for (let at = 0; at + line.length <= BLOCK_BYTES; at += line.length) block.set(line, at);
  return block;
}

function randomBlock(): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  for (let at = 0; at < BLOCK_BYTES; at += 65_536) crypto.getRandomValues(block.subarray(at, at + 65_536));
  return block;
}

interface Blocks {
  readonly first: Uint8Array;
  readonly next: Uint8Array;
}

function blocksOf(content: UploadsJob["content"]): Blocks {
  if (content === "text") {
    const next = textBlock();
    return { first: next, next };
  }
  const next = randomBlock();
  const first = next.slice();
  first.set(PNG);
  return { first, next };
}

/** Resolves when so many bytes are due; at once without a pace. */
function paceOf(bytesPerSecond = Infinity): (bytes: number) => Promise<void> {
  const from = performance.now();
  return async (bytes) => {
    const wait = from + bytes * 1000 / bytesPerSecond - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
  };
}

interface Head {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

function renderHead({ method, path, headers }: Head): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return encoder.encode(`${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join("")}\r\n`);
}

/** The form around the file, and the head of the whole. */
function formOf({ bytes, content, headers: own }: UploadsJob) {
  const name = content === "text" ? "notes.txt" : "image.png";
  const begin = encoder.encode(
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n` +
      "content-type: application/octet-stream\r\n\r\n",
  );
  const end = encoder.encode(`\r\n--${BOUNDARY}--\r\n`);
  const headers = {
    ...own,
    "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
    "content-length": `${begin.length + bytes + end.length}`,
  };
  return { head: renderHead({ method: "POST", path: "/v1/files", headers }), begin, end };
}

async function wholeAnswer(conn: Deno.Conn): Promise<{ readonly status: number; readonly text: string }> {
  const reader = new HttpReader(conn);
  const head = await reader.head() ?? "";
  let text = "";
  for await (const chunk of reader.chunks(head)) text += chunk;
  return { status: statusOf(head), text };
}

const uploaded = z.object({ id: z.string() });

/** Sends one file; returns its id. Throws when it is not taken. */
async function upload(
  job: UploadsJob,
  { conn, blocks }: { conn: Deno.Conn; blocks: Blocks },
): Promise<string> {
  const { head, begin, end } = formOf(job);
  const due = paceOf(job.bytesPerSecond);
  await writeAll(conn, head);
  await writeAll(conn, begin);
  for (let sent = 0; sent < job.bytes; sent += BLOCK_BYTES) {
    await due(sent);
    await writeAll(conn, sent === 0 ? blocks.first : blocks.next);
  }
  await writeAll(conn, end);
  const { status, text } = await wholeAnswer(conn);
  if (status < 200 || status > 299) throw new Error(`The upload was answered with ${status}: ${text}`);
  return uploaded.parse(JSON.parse(text)).id;
}

/** Reads the head; returns it, and how many bytes of the body came with it. */
async function readHead(conn: Deno.Conn, room: Uint8Array) {
  for (let size = 0;;) {
    const read = await conn.read(room.subarray(size));
    if (read === null) throw new Error("The server closed the connection before its head");
    size += read;
    const head = decoder.decode(room.subarray(0, size));
    const end = head.indexOf("\r\n\r\n");
    if (end !== -1) return { head: head.slice(0, end), bodyBytes: size - end - 4 };
  }
}

interface Reading {
  readonly conn: Deno.Conn;
  readonly bytesPerSecond: number | undefined;
}

/** Fetches the file once. Throws when it does not come whole. */
async function download(
  { id, bytes, headers }: DownloadsJob,
  { conn, bytesPerSecond }: Reading,
): Promise<void> {
  const path = `/v1/files/${id}/content`;
  const room = new Uint8Array(bytesPerSecond === undefined ? BLOCK_BYTES : SLOW_BYTES);
  const due = paceOf(bytesPerSecond);
  await writeAll(conn, renderHead({ method: "GET", path, headers }));
  const { head, bodyBytes } = await readHead(conn, room);
  const length = contentLength(head) ?? 0;
  if (statusOf(head) !== 200 || length < bytes) throw new Error(`The download was answered with ${head}`);
  for (let size = bodyBytes; size < length;) {
    await due(size);
    const read = await conn.read(room);
    if (read === null) throw new Error(`The download broke off after ${size} bytes`);
    size += read;
  }
}

const connected = (port: number, count: number) =>
  Promise.all(Array.from({ length: count }, () => Deno.connect({ hostname: "127.0.0.1", port })));

/** Everything at once; what fails is counted, and its reason printed. */
async function run(job: UploadsJob | DownloadsJob, one: (conn: Deno.Conn, index: number) => Promise<string>) {
  const conns = await connected(job.port, job.count);
  console.log(ALL_OPEN);
  const from = performance.now();
  const settled = await Promise.allSettled(conns.map(one));
  const ms = performance.now() - from;
  for (const conn of conns) conn.close();
  const ids = settled.flatMap((end) => end.status === "fulfilled" ? [end.value] : []);
  for (const end of settled) if (end.status === "rejected") console.error(String(end.reason));
  return { ids, ms, bytes: ids.length * job.bytes, failures: job.count - ids.length } satisfies FilesResult;
}

async function files(job: UploadsJob | DownloadsJob): Promise<FilesResult> {
  if (job.kind === "uploads") {
    const blocks = blocksOf(job.content);
    return await run(job, (conn) => upload(job, { conn, blocks }));
  }
  return await run(job, async (conn, index) => {
    const bytesPerSecond = index < job.slow ? job.bytesPerSecond : undefined;
    await download(job, { conn, bytesPerSecond });
    return job.id;
  });
}

if (import.meta.main) {
  console.log(JSON.stringify(await files(filesJob.parse(JSON.parse(Deno.args[0] ?? "null")))));
}
