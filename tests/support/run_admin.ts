/** Runs commands of `deno task admin` against a gateway that is made up. */

import { type AdminCommandOptions, runAdmin } from "../../server/cli/admin_command.ts";
import { noStreams } from "./file_streams.ts";

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly key: string | null;
}

/** Runs a command against a gateway that answers `reply`, and tells what was sent. */
export async function run(
  args: readonly string[],
  reply: Response | (() => Response),
  changes: Partial<AdminCommandOptions> = {},
) {
  const sent: Sent[] = [];
  const output = await runAdmin({
    args,
    url: "http://127.0.0.1:8787",
    managementKey: "tg-mgmt-0",
    fetch: (input, init) => {
      const request = new Request(input, init);
      sent.push({
        method: request.method,
        url: request.url,
        body: typeof init?.body === "string" ? JSON.parse(init.body) : undefined,
        key: request.headers.get("authorization"),
      });
      return Promise.resolve(typeof reply === "function" ? reply() : reply);
    },
    width: 120,
    streams: noStreams,
    ...changes,
  });
  return { output, sent };
}

export const reply = (data: unknown, status = 200) => Response.json(data, { status });
