/** The built-in provider, started for a test, and calls of it over real connections. */

import { startLocalProvider } from "../../server/local_provider/local_provider.ts";
import { createRuntime, type Runtime } from "../../server/runtime.ts";
import { tickingClock } from "../support/ticking_clock.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface Rig {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Posts to `/responses` with the right secret. */
  readonly post: (body: unknown, init?: RequestInit) => Promise<Response>;
  /** The whole answer of `local/echo`, which must be 200. */
  readonly ask: (body: Json) => Promise<Json>;
  /** The events of a streamed answer of `local/echo`. */
  readonly stream: (body: Json) => Promise<readonly Json[]>;
}

/** Value of `Response.json`: answers are looked into field by field. */
export type Json = Awaited<ReturnType<Response["json"]>>;

/** Runs a test against a provider of its own; nothing is left open. */
export async function withLocal(run: (rig: Rig) => Promise<void>, own: Partial<Runtime> = {}): Promise<void> {
  const runtime: Runtime = { ...createRuntime(silent), clock: tickingClock(), ...own };
  const client = Deno.createHttpClient({});
  const local = startLocalProvider({ runtime, faultLab: true });
  const post = (body: unknown, init: RequestInit = {}) =>
    fetch(`${local.baseUrl}/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", ...local.headers },
      body: JSON.stringify(body),
      client,
      ...init,
    });
  const ask = async (body: Json) => {
    const response = await post({ model: "local/echo", ...body });
    const answer = await response.json();
    if (response.status !== 200) throw new Error(JSON.stringify(answer));
    return answer;
  };
  const stream = async (body: Json) =>
    eventsIn(await (await post({ model: "local/echo", stream: true, ...body })).text());
  try {
    await run({ baseUrl: local.baseUrl, headers: local.headers, post, ask, stream });
  } finally {
    client.close();
    await local.close();
  }
}

/** The events of a whole stream; each must have its name in the `event:` line, too. */
export function eventsIn(text: string): readonly Json[] {
  return text.split("\n\n").filter((frame) => frame !== "").map((frame) => {
    const [name = "", data = ""] = frame.split("\n");
    const event = JSON.parse(data.replace("data: ", ""));
    if (name !== `event: ${event.type}`) throw new Error(`${name} names ${event.type}`);
    return event;
  });
}

/** All output text of an answer. */
export function textOf(answer: Json): string {
  return answer.output.flatMap((item: Json) => item.content ?? []).map((part: Json) => part.text ?? "").join(
    "",
  );
}
