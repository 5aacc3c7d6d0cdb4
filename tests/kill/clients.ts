/** Clients that ask one question after the other and write down what they saw of each answer. */

/** One answer as its client saw it. */
export interface Seen {
  readonly id: string;
  /** The terminal event of a stream, or the whole body, arrived. */
  readonly terminal: boolean;
  /** Something of the answer arrived. */
  readonly begun: boolean;
  /** `usage.cost` in nano-USD, where the terminal event told it. */
  readonly costNano?: number;
}

export interface Clients {
  readonly seen: readonly Seen[];
  /** How many of them came to their end. */
  readonly ended: number;
  /** Lets requests under way come to their end, or their break. */
  stop(): Promise<void>;
}

export interface ClientsOptions {
  /** Asked before each request: gateways come and go. */
  readonly url: () => string | undefined;
  readonly apiKey: string;
  readonly count: number;
  readonly model: string;
}

export function startClients(options: ClientsOptions): Clients {
  const seen: Seen[] = [];
  let ended = 0;
  let stopped = false;
  const run = async (stream: boolean) => {
    while (!stopped) {
      const url = options.url();
      const answer = url === undefined ? undefined : await ask({ ...options, url, stream });
      if (answer?.terminal) ended++;
      if (answer !== undefined) seen.push(answer);
      else await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const running = Array.from({ length: options.count }, (_, at) => run(at % 2 === 0));
  return {
    seen,
    get ended() {
      return ended;
    },
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

interface Question {
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
  readonly stream: boolean;
}

/** Undefined when there was no answer to speak of: refused, or cut before its headers. */
async function ask({ url, apiKey, model, stream }: Question): Promise<Seen | undefined> {
  let text = "";
  let id: string | null = null;
  let whole = false;
  try {
    const response = await fetch(`${url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, input: "What must the ledger hold?", stream, max_output_tokens: 64 }),
    });
    id = response.headers.get("x-generation-id");
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      return undefined;
    }
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) text += chunk;
    whole = true;
  } catch (error) {
    // The gateway was killed: what arrived until then is what counts.
    if (!(error instanceof TypeError)) throw error;
  }
  if (id === null) return undefined;
  const terminal = stream ? terminalOf(text) : whole ? JSON.parse(text) : undefined;
  const begun = stream ? text.includes("response.output_text.delta") : text !== "";
  return { id, terminal: terminal !== undefined, begun, costNano: costOf(terminal) };
}

/** The response object in the terminal event of a stream. */
function terminalOf(text: string): unknown {
  const line = text.split("\n").find((one) =>
    /^data: \{"type":"response\.(completed|incomplete|failed)"/.test(one) && one.endsWith("}")
  );
  return line === undefined ? undefined : JSON.parse(line.slice("data: ".length)).response;
}

function costOf(response: unknown): number | undefined {
  if (typeof response !== "object" || response === null || !("usage" in response)) return undefined;
  const { usage } = response;
  if (typeof usage !== "object" || usage === null || !("cost" in usage)) return undefined;
  return typeof usage.cost === "number" ? Math.round(usage.cost * 1e9) : undefined;
}
