/** HTTP as bytes over TCP: for what no client library would send. */

import { PATIENCE_MS, pause } from "./until.ts";

export interface RawAnswer {
  /** 0 when the connection ended, or stayed silent, without a status line. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** The other side has closed. */
  readonly closed: boolean;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Sends `request` and reads what comes back until the answer is whole, the connection ends or nothing ever comes. */
export async function rawExchange(port: number, request: string | Uint8Array): Promise<RawAnswer> {
  const connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  try {
    await writeAll(connection, typeof request === "string" ? encoder.encode(request) : request);
    return await readAnswer(connection);
  } finally {
    connection.close();
  }
}

/** A server that refuses early may close before it has read everything. */
async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  let at = 0;
  try {
    while (at < bytes.length) at += await connection.write(bytes.subarray(at));
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
}

export function isClosed(error: unknown): boolean {
  return error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted;
}

async function readAnswer(connection: Deno.Conn): Promise<RawAnswer> {
  let text = "";
  let closed = false;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    connection.close();
  }, PATIENCE_MS);
  while (!closed && !isWhole(text)) {
    const chunk = await read(connection);
    if (chunk === undefined) closed = true;
    else text += chunk;
  }
  clearTimeout(timer);
  if (late) await pause(0);
  return parseAnswer(text, closed && !late);
}

async function read(connection: Deno.Conn): Promise<string | undefined> {
  const buffer = new Uint8Array(64 * 1024);
  try {
    const size = await connection.read(buffer);
    return size === null ? undefined : decoder.decode(buffer.subarray(0, size));
  } catch (error) {
    if (isClosed(error)) return undefined;
    throw error;
  }
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
  if (length !== undefined) return encoder.encode(text.slice(end + 4)).length >= Number(length);
  return /\r\n0\r\n\r\n$/.test(text);
}

function parseAnswer(text: string, closed: boolean): RawAnswer {
  const [head = "", ...body] = text.split("\r\n\r\n");
  const [line = "", ...fields] = head.split("\r\n");
  const headers = new Map(fields.map((field) => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
  }));
  return {
    status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? 0),
    headers,
    text: body.join("\r\n\r\n"),
    closed,
  };
}
