/** Serves the calls of a running command: for pages that its network policy allows, and for Python packages. */

import { AllowedRequests } from "./allowed_requests.ts";
import type { PythonWheel } from "./python_wheel.ts";
import {
  type CallName,
  fetchAnswerSchema,
  fetchCallSchema,
  MAX_CHUNK_BYTES,
  MAX_FETCHED_BYTES,
  packagesCallSchema,
  wheelCallSchema,
} from "./messages.ts";
import type * as z from "zod";
import { encodePack } from "./pack.ts";
import type { NetworkPolicy } from "./sandbox.ts";

interface FetchedPage {
  /** After all redirects. */
  readonly url: string;
  readonly status: number;
  /** Empty where the server does not say. */
  readonly contentType: string;
  /** Undefined where it was not read. */
  readonly body: Uint8Array | undefined;
}

/** The guarded way out. Rejects with an error whose message is for the model. */
export type FetchPage = (input: {
  readonly url: string;
  /** Asked of every address on the way. */
  readonly allows: (url: URL) => boolean;
  readonly signal: AbortSignal;
}) => Promise<FetchedPage>;

/** The wheels of a module that could not be imported. Rejects with an error whose message is for the model. */
export type FindWheels = (module: string) => Promise<readonly PythonWheel[]>;

interface ProcessCallsOptions {
  readonly fetchPage: FetchPage;
  readonly findWheels: FindWheels;
  readonly network: NetworkPolicy;
  readonly signal: AbortSignal;
}

type FetchAnswer = z.output<typeof fetchAnswerSchema>;

/** Calls of one command. */
export class ProcessCalls {
  readonly #options: ProcessCallsOptions;
  readonly #requests: AllowedRequests;
  /** By the names of their files. */
  readonly #wheels = new Map<string, Uint8Array>();

  constructor(options: ProcessCallsOptions) {
    this.#options = options;
    this.#requests = new AllowedRequests(options.network);
  }

  /** The body of the answer. Throws for what is no call. */
  async answer(name: CallName, value: unknown): Promise<Uint8Array> {
    switch (name) {
      case "fetch":
        return await this.#fetch(fetchCallSchema.parse(value));
      case "packages":
        return await this.#packages(packagesCallSchema.parse(value));
      case "wheel":
        return this.#wheel(wheelCallSchema.parse(value));
      default:
        return name satisfies never;
    }
  }

  async #fetch({ url, method }: z.output<typeof fetchCallSchema>): Promise<Uint8Array> {
    const failed = (message: string) => encodePack({ type: "failed", message } satisfies FetchAnswer);
    if (method !== "GET") return failed(`Only GET is allowed here, not ${method}.`);
    try {
      this.#requests.count();
      const { allows } = this.#requests;
      const page = await this.#options.fetchPage({ url, allows, signal: this.#options.signal });
      const body = page.body ?? new Uint8Array(0);
      if (body.length > MAX_FETCHED_BYTES) return failed("The reply is larger than 10 MiB.");
      const headers: Record<string, string> = {};
      if (page.contentType !== "") headers["content-type"] = page.contentType;
      const { status, url: address } = page;
      return encodePack({ type: "reply", status, url: address, headers } satisfies FetchAnswer, [body]);
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }

  async #packages({ modules }: z.output<typeof packagesCallSchema>): Promise<Uint8Array> {
    try {
      const found = await Promise.all(modules.map((module) => this.#options.findWheels(module)));
      for (const { filename, content } of found.flat()) this.#wheels.set(filename, content);
      return encodePack({
        wheels: found.flat().map(({ filename, content }) => ({ filename, size: content.length })),
      });
    } catch (error) {
      return encodePack({ wheels: [], message: error instanceof Error ? error.message : String(error) });
    }
  }

  #wheel({ filename, offset }: z.output<typeof wheelCallSchema>): Uint8Array {
    const content = this.#wheels.get(filename);
    if (content === undefined) throw new Error("A process asks for a wheel that it was not told of");
    return encodePack(null, [content.subarray(offset, offset + MAX_CHUNK_BYTES)]);
  }
}
