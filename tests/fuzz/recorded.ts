/** Requests that widely used clients were seen to send, long texts shortened. */

import type { Body } from "./covering.ts";

export interface Recorded {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

const folder = new URL("./recorded/", import.meta.url);

/** Lists the recorded requests for POST /responses, by file name. */
export function recordedRequests(): readonly Recorded[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort().map(read).filter(({ path }) =>
    path === "/v1/responses"
  );
}

function read(name: string): Recorded {
  const { path, headers, body } = JSON.parse(Deno.readTextFileSync(new URL(name, folder)));
  return { name, path, headers, body };
}
