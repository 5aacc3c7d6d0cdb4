/** The start of the console: finds out who is signed in, then shows the frame or the sign-in page. */

import { render } from "preact";
import { app } from "./app.ts";
import { ApiFailure, ConnectionLost } from "./api.ts";
import { App } from "./frame/app_view.tsx";
import { watchUnsaved } from "./unsaved.ts";
import { linkFailed } from "./frame/sign_in_state.ts";

/** Token that the first start has printed behind the `#`: 256 random bits. */
const linkToken = /^#([A-Za-z0-9_-]{43})$/;

async function start(): Promise<void> {
  if (!await followSignInLink()) await app.session.load();
}

/** Signs in where the address has a token; a page that is open may be given the link, too. */
async function followSignInLink(): Promise<boolean> {
  const token = linkToken.exec(location.hash)?.[1];
  if (token === undefined) return false;
  app.router.dropFragment();
  try {
    await app.session.signInWithLink(token);
    linkFailed.value = false;
  } catch (error) {
    if (error instanceof ConnectionLost) throw error;
    linkFailed.value = true;
    await app.session.load();
  }
  return true;
}

/** Links of the console change the page without loading it again. */
function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) {
    return;
  }
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const href = link?.getAttribute("href") ?? "";
  if (
    !/^\/console(\/|\?|$)/.test(href) || link?.hasAttribute("download") || href.startsWith("/console/api/")
  ) return;
  event.preventDefault();
  app.router.go(href);
}

const root = document.createElement("div");
document.body.replaceChildren(root);
document.addEventListener("click", followLinks);
watchUnsaved();
addEventListener("hashchange", () => void followSignInLink().catch(throwUnshown));
render(<App />, root);
start().catch(throwUnshown);

/** Refused: the page says why. Without a connection the banner does, and it is tried again. */
function throwUnshown(error: unknown): void {
  if (!(error instanceof ApiFailure || error instanceof ConnectionLost)) throw error;
}
