/** Calls of a running command to the gateway: for pages, and for packages of Python. */

import type { BashOptions } from "just-bash";
import { type CallName, fetchAnswerSchema, packagesAnswerSchema } from "../messages.ts";
import type { Pack } from "../pack.ts";
import type { PythonWheel } from "../python_wheel.ts";

type Fetch = NonNullable<BashOptions["fetch"]>;

type Call = (name: CallName, value: unknown) => Promise<Pack>;

export class GatewayCalls {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** As `curl` wants it. */
  readonly fetch: Fetch = async (url, options) => {
    const { value, bytes } = await this.#call("fetch", { url, method: options?.method ?? "GET" });
    const answer = fetchAnswerSchema.parse(value);
    if (answer.type === "failed") throw new Error(answer.message);
    const { status, headers } = answer;
    return { status, statusText: "", headers, body: bytes.slice(), url: answer.url };
  };

  /** The wheels of what could not be imported. Rejects with a sentence for the model where there are none. */
  readonly requestPackages = async (modules: readonly string[]): Promise<readonly PythonWheel[]> => {
    const { value } = await this.#call("packages", { modules });
    const { wheels, message } = packagesAnswerSchema.parse(value);
    if (message !== undefined) throw new Error(message);
    const fetched: PythonWheel[] = [];
    for (const { filename, size } of wheels) {
      fetched.push({ filename, content: await this.#readWheel(filename, size) });
    }
    return fetched;
  };

  async #readWheel(filename: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
    const content = new Uint8Array(size);
    for (let offset = 0; offset < size;) {
      const { bytes } = await this.#call("wheel", { filename, offset });
      content.set(bytes, offset);
      offset += bytes.length;
    }
    return content;
  }
}
