/**
 * The built-in provider: simulated models, voices, and faults on purpose. The gateway calls it like any other
 * provider, over HTTP; where no second port can be had (Deno Deploy), by {@link LocalProvider.fetch}.
 */

import type { Tokenizer } from "../billing/tokenizer/tokens.ts";
import type { Runtime } from "../runtime.ts";
import { createLocalHandler } from "./local_handler.ts";
import { listenOnLoopback, type LoopbackServer } from "./loopback_server.ts";
import { createSpeechSynthesizer, type SpeechSynthesizer } from "./voices/speech_synthesizer.ts";

interface LocalProviderOptions {
  readonly runtime: Runtime;
  /** Serve the `fault-<kind>` models, too. */
  readonly faultLab?: boolean;
  /** False: no port is opened and only `fetch` answers. */
  readonly listen?: boolean;
  /** Where fetched voices are kept; absent: nowhere. */
  readonly folder?: string;
  /** Where installed voices are looked for; null: nowhere. Absent: where Deno keeps packages. */
  readonly cache?: string | null;
  /** By which the simulated models count and cut texts, in place of the encoding. */
  readonly tokenizer?: Tokenizer;
}

export interface LocalProvider {
  /** Without a trailing slash; `/responses` is below it. */
  readonly baseUrl: string;
  /** Headers that a call has to send: a secret of this process, so that nothing else on the machine uses the port. */
  readonly headers: Readonly<Record<string, string>>;
  /** The same in process. Rejects where a connection would be refused. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

export function startLocalProvider(
  { runtime, faultLab = false, listen = true, folder, cache, tokenizer }: LocalProviderOptions,
): LocalProvider {
  const authorization = `Bearer ${runtime.randomToken(32)}`;
  const speaker = createSpeechSynthesizer({ runtime, folder, cache });
  const handler = createLocalHandler({ runtime, faultLab, speaker, authorization, tokenizer });
  const headers = { authorization };
  if (!listen) {
    return {
      baseUrl: "http://local.invalid",
      headers,
      fetch: handler,
      close: () => Promise.resolve(speaker.close()),
    };
  }
  const server = listenOnLoopback(handler, runtime);
  return { baseUrl: server.url, headers, fetch: handler, close: () => closed(server, speaker) };
}

async function closed(server: LoopbackServer, speaker: SpeechSynthesizer): Promise<void> {
  await server.close();
  speaker.close();
}
