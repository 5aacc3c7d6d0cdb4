/** The parts that every page uses, made once and joined. */

import { effect, signal, untracked } from "@preact/signals";
import { ConnectionLost, ConsoleApi } from "./api.ts";
import { browserClock } from "./clock.ts";
import { Connection } from "./connection.ts";
import { PageUse } from "./page_use.ts";
import { browserAddress, Router } from "./router.ts";
import { SessionModel } from "./session.ts";
import { Toasts } from "./toasts.ts";

const clock = browserClock;
const api = new ConsoleApi((input, init) => fetch(input, init));
const session = new SessionModel(api);
const router = new Router(browserAddress());
const connection = new Connection({ clock, probe: () => whenVisible(() => session.load()) });
const toasts = new Toasts(clock);

const use = new PageUse(clock);
api.isUsed = () => use.isNow;

api.events = {
  lost: () => connection.reportLost(),
  answered: () => connection.reportAnswer(),
  signedOut: (reason) => session.end(reason),
};

/** Entries of the tab's storage end in the key that has written them: those of another one go. */
function forgetOthers(keyHash: string): void {
  for (const name of Object.keys(sessionStorage)) {
    if (!name.endsWith(keyHash)) sessionStorage.removeItem(name);
  }
}

/** Clears the tab's storage when its key signs out: nobody else finds it there. A session that has run out may go on. */
effect(() => {
  const state = session.state.value;
  if (state.status === "signed_in") return forgetOthers(state.session.key_hash);
  if (state.status !== "signed_out") return;
  if (state.reason === "none" || state.reason === "other_tab") sessionStorage.clear();
});

/** The current minute, for what is shown relative to now. */
const minute = signal(clock.now());
function tick(): void {
  clock.after(30_000, () => {
    if (!document.hidden) minute.value = clock.now();
    tick();
  });
}
tick();
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) minute.value = clock.now();
});

/** A hidden page reads nothing. */
function whenVisible<T>(read: () => Promise<T>): Promise<T> {
  return document.hidden ? Promise.reject(new ConnectionLost("The page is hidden.")) : read();
}

/** The overlay of the frame that is open: one at a time. */
const overlay = signal<"palette" | "health" | undefined>(undefined);

export const app = { api, clock, connection, minute, overlay, router, session, toasts };
type App = typeof app;

/** Runs now and whenever the gateway is back after an outage; not when something changes that it looks at. */
export function whenConnected(run: () => void): () => void {
  return effect(() => {
    connection.returns.value;
    untracked(run);
  });
}
