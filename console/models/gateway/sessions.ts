/** Open sessions of the console, and the link by which another browser signs in. */

import type { EndedSessions, SessionListEntry, SignInToken } from "../../../shared/console.ts";
import type { ConsoleApi } from "../../api.ts";
import { createResource } from "../../resource.ts";

const SESSIONS = "/console/sessions";

export class SessionsModel {
  readonly #api: Pick<ConsoleApi, "send">;
  readonly list = createResource(async (signal) =>
    toAnswer<{ readonly data: readonly SessionListEntry[] }>(
      await (await this.#api.send("GET", SESSIONS, { signal })).json(),
    ).data
  );

  constructor(api: Pick<ConsoleApi, "send">) {
    this.#api = api;
  }

  /** Ends one. Throws what the gateway refuses. */
  async end(id: string): Promise<void> {
    await this.#api.send("DELETE", `${SESSIONS}/${encodeURIComponent(id)}`);
    await this.list.load();
  }

  /** Ends all others that this session may end; resolves with their number. */
  async endOthers(): Promise<number> {
    const response = await this.#api.send("DELETE", SESSIONS);
    const { data } = toAnswer<EndedSessions>(await response.json());
    await this.list.load();
    return data.ended;
  }

  async makeLink(): Promise<SignInToken["data"]> {
    const response = await this.#api.send("POST", "/console/session/link");
    return toAnswer<SignInToken>(await response.json()).data;
  }
}

/** The server has rendered it by its schema. */
function toAnswer<T>(body: unknown): T {
  return body as T;
}
