/** Clients that upload and delete files one after the other, and write down what they were answered. */

import { createHash } from "node:crypto";
import { asObject } from "../support/event_stream.ts";
import { randomBytes } from "../support/random_bytes.ts";

/** A file whose upload was answered. Its name on the gateway is the SHA-256 of its bytes. */
export interface KnownFile {
  readonly id: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** State of the deletion: it may have been requested without an answer. */
  deletion: "none" | "requested" | "answered";
}

export interface FileClientsOptions {
  /** Asked before each request: gateways come and go. */
  readonly url: () => string | undefined;
  readonly token: string;
  readonly count: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export interface FileClients {
  readonly files: readonly KnownFile[];
  /** Requests whose answer came. */
  readonly answered: number;
  /** Requests that broke off. */
  readonly broken: number;
  /** Resolves once no request is under way; `url` must give nothing by then. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const MAX_BYTES = 3 * 1024 * 1024;
/** Files that a client keeps. */
const KEPT = 8;
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Small and large, text and what begins like an image. */
function madeContent(random: () => number): Uint8Array<ArrayBuffer> {
  const size = 1 + Math.floor(random() ** 2 * MAX_BYTES);
  if (random() < 0.5) {
    const bytes = randomBytes(size + PNG.length);
    bytes.set(PNG);
    return bytes;
  }
  const line = `A line of ${random()}\n`;
  return new TextEncoder().encode(line.repeat(Math.ceil(size / line.length)));
}

/** The form as bytes, so that no stream of it is under way when the gateway is killed. */
async function formOf(content: Uint8Array<ArrayBuffer>, filename: string): Promise<RequestInit> {
  const form = new FormData();
  form.set("file", new File([content], filename));
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
  return { method: "POST", headers, body: await encoded.bytes() };
}

class FileClient {
  readonly #options: FileClientsOptions;
  readonly #own: KnownFile[] = [];
  readonly files: KnownFile[] = [];
  answered = 0;
  broken = 0;

  constructor(options: FileClientsOptions) {
    this.#options = options;
  }

  async act(url: string): Promise<void> {
    const { random } = this.#options;
    const deletes = this.#own.length > 0 && (this.#own.length >= KEPT || random() < 0.4);
    try {
      await (deletes ? this.#delete(url) : this.#upload(url));
      this.answered++;
    } catch (error) {
      // The gateway was killed: nothing was answered.
      if (!(error instanceof TypeError)) throw error;
      this.broken++;
    }
  }

  async #upload(url: string): Promise<void> {
    const content = madeContent(this.#options.random);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const text = await this.#call(`${url}/v1/files`, await formOf(content, sha256));
    const file: KnownFile = {
      id: String(asObject(JSON.parse(text)).id),
      sha256,
      size: content.length,
      deletion: "none",
    };
    this.#own.push(file);
    this.files.push(file);
  }

  async #delete(url: string): Promise<void> {
    const [file] = this.#own.splice(Math.floor(this.#options.random() * this.#own.length), 1);
    if (file === undefined) return;
    file.deletion = "requested";
    await this.#call(`${url}/v1/files/${file.id}`, { method: "DELETE" });
    file.deletion = "answered";
  }

  async #call(url: string, init: RequestInit): Promise<string> {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${this.#options.token}`);
    const response = await fetch(url, { ...init, headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${init.method} was answered ${response.status}: ${text}`);
    return text;
  }
}

export function startFileClients(options: FileClientsOptions): FileClients {
  const clients = Array.from({ length: options.count }, () => new FileClient(options));
  let stopped = false;
  let active = 0;
  const run = async (client: FileClient) => {
    while (!stopped) {
      const url = options.url();
      if (url !== undefined) {
        active++;
        await client.act(url).finally(() => active--);
      } else await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const running = Promise.all(clients.map(run));
  // It is awaited at the stop; a client that fails earlier has said why then.
  running.catch(() => stopped = true);
  const sumOf = (count: (client: FileClient) => number) =>
    clients.reduce((sum, client) => sum + count(client), 0);
  const idle = async () => {
    while (active > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  return {
    get files() {
      return clients.flatMap(({ files }) => files);
    },
    get answered() {
      return sumOf((client) => client.answered);
    },
    get broken() {
      return sumOf((client) => client.broken);
    },
    idle,
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}
