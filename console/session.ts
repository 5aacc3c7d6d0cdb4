/** State of the session: the key that is signed in. */

import { computed, signal } from "@preact/signals";
import type { ConsoleSession, SessionEndReason, SessionState as SessionAnswer } from "../shared/console.ts";
import { ApiFailure, type ConsoleApi } from "./api.ts";

type SessionState =
  | { readonly status: "unknown" }
  /** The gateway serves the console to nobody here, and says why. */
  | { readonly status: "refused"; readonly message: string }
  | { readonly status: "signed_out"; readonly reason: SessionEndReason | "other_tab" }
  | { readonly status: "signed_in"; readonly session: ConsoleSession };

const ADDRESS = "/console/session";

export class SessionModel {
  readonly #api: ConsoleApi;
  readonly state = signal<SessionState>({ status: "unknown" });
  readonly current = computed(() =>
    this.state.value.status === "signed_in" ? this.state.value.session : undefined
  );
  /** Whether the session may change anything. */
  readonly canChange = computed(() =>
    this.current.value?.kind === "management" && !this.current.value.read_only
  );
  readonly isManager = computed(() => this.current.value?.kind === "management");

  /** The other tabs of this browser. */
  readonly #tabs = new BroadcastChannel("session");

  constructor(api: ConsoleApi) {
    this.#api = api;
    this.#tabs.onmessage = () => this.end("none");
  }

  /** Finds out whether the browser has a session. */
  async load(): Promise<void> {
    await this.#receive(await this.#api.send("GET", ADDRESS).catch((error: unknown) => this.#refuse(error)));
  }

  #refuse(error: unknown): never {
    if (error instanceof ApiFailure) this.state.value = { status: "refused", message: error.message };
    throw error;
  }

  /** Throws an ApiFailure where the key is refused. */
  async signIn(key: string): Promise<void> {
    await this.#receive(await this.#api.send("POST", ADDRESS, { body: { key } }));
  }

  /** Signs in with the one-time link that the first start has printed. */
  async signInWithLink(token: string): Promise<void> {
    await this.#receive(await this.#api.send("POST", ADDRESS, { body: { token } }));
  }

  async signOut(): Promise<void> {
    await this.#api.send("DELETE", ADDRESS);
    this.#signedOut("none");
    this.#tabs.postMessage("signed out");
  }

  /**
   * The gateway has said that there is no session any more. A browser that presents none although this page was
   * signed in has lost it by another tab.
   */
  end(reason: SessionEndReason): void {
    if (reason !== "none") return this.#signedOut(reason);
    const { status } = this.state.peek();
    if (status === "signed_in") this.#signedOut("other_tab");
    else if (status !== "signed_out") this.#signedOut("none");
  }

  #signedOut(reason: SessionEndReason | "other_tab"): void {
    this.#api.csrf = undefined;
    this.state.value = { status: "signed_out", reason };
  }

  async #receive(response: Response): Promise<void> {
    const answer = toSessionAnswer(await response.json());
    if (answer.data === null) return this.end(answer.reason);
    this.#api.csrf = answer.data.csrf;
    this.state.value = { status: "signed_in", session: answer.data };
  }
}

/** The server has rendered it by its schema. */
function toSessionAnswer(body: unknown): SessionAnswer {
  return body as SessionAnswer;
}
