/** A gateway whose configuration file a test exchanges while it runs, and providers that answer when they are let. */

import { openingFrames, type Script, type Scripted, scripted, textFrames } from "../support/scripted.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, type GatewayOptions, providerAt, startGateway } from "../support/gateway.ts";
import { managed, type ManagedAnswer } from "../support/manage.ts";

export const FILE = "test.jsonc";

export interface ReloadRig extends AsyncDisposable {
  readonly gateway: Gateway;
  /** Files by their paths. */
  readonly files: Map<string, string>;
  /** Writes the configuration file. */
  readonly write: (file: Json | string) => void;
  readonly reload: () => Promise<ManagedAnswer>;
  /** Sends a chat request. */
  readonly ask: (body?: Json) => Promise<Response>;
}

/** `file` is the configuration file of the start. */
export async function reloadRig(
  file: Json,
  options: Pick<GatewayOptions, "env" | "store" | "stop" | "guard" | "clock"> & {
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<ReloadRig> {
  const { files: more = {}, ...rest } = options;
  const files = new Map([[FILE, JSON.stringify(file)], ...Object.entries(more)]);
  const gateway = await startGateway({ ...rest, files });
  return {
    gateway,
    files,
    write: (next) => files.set(FILE, typeof next === "string" ? next : JSON.stringify(next)),
    reload: () => managed(gateway, { call: "POST /reload" }),
    ask: (body = {}) =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "mock/model", messages: [{ role: "user", content: "Hi" }], ...body }),
      }),
    [Symbol.asyncDispose]: gateway.close,
  };
}

/** The configuration file of a provider of `mock/model` that speaks chat. */
export const fileAt = (baseUrl: string, changes: Json = {}, more: Json = {}): Json => ({
  providers: [providerAt(baseUrl, { wire: "chat", ...changes })],
  ...more,
});

/** The text of a whole chat answer. */
export async function saidIn(response: Response): Promise<string> {
  const body = asObject(await response.json());
  const [choice] = Array.isArray(body.choices) ? body.choices : [];
  return String(asObject(asObject(choice).message).content);
}

export interface HeldProvider extends Scripted {
  /** How many streams are open. */
  readonly open: () => number;
  readonly release: () => void;
}

/** Begins each stream at once and ends it when it is released. */
export function heldProvider(text: string): HeldProvider {
  const released = Promise.withResolvers<void>();
  let open = 0;
  const script: Script = () => {
    const encoder = new TextEncoder();
    const frames = textFrames("chat", text);
    const first = openingFrames("chat").length + 1;
    open++;
    const body = new ReadableStream({
      start: async (controller) => {
        controller.enqueue(encoder.encode(frames.slice(0, first).join("")));
        await released.promise;
        controller.enqueue(encoder.encode(frames.slice(first).join("")));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { ...scripted(script), open: () => open, release: () => released.resolve() };
}
