/** Ends the session. */

import { app } from "../app.ts";
import { Icon } from "../components/icon.tsx";
import { toError } from "../resource.ts";
import { frameText } from "../text/frame.ts";

function signOut(): void {
  app.session.signOut().catch((error) => app.toasts.show(toError(error).message, { tone: "bad" }));
}

/** In the bar, and in the drawer where the bar is too narrow. */
export function SignOutButton({ worded = false }: { readonly worded?: boolean }) {
  return (
    <button
      type="button"
      class={`button button-plain${worded ? "" : " button-icon"}`}
      aria-label={frameText.signOut}
      title={frameText.signOut}
      onClick={signOut}
    >
      <Icon name="sign_out" />
      {worded && frameText.signOut}
    </button>
  );
}
