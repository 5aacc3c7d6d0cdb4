/** View of the whole screen: the sign-in page, or the frame around a page. */

import { useEffect } from "preact/hooks";
import { app } from "../app.ts";
import { Callout } from "../components/callout.tsx";
import { ToastList } from "../components/toasts.tsx";
import { Banner } from "./banner.tsx";
import { Frame } from "./frame.tsx";
import { signInText } from "../text/frame.ts";
import { SignIn } from "./sign_in.tsx";

function Refused({ message }: { readonly message: string }) {
  return (
    <div class="alone">
      <main id="main">
        <div class="sign-in-card">
          <Callout tone="bad" live="alert">
            <h1>{signInText.refused}</h1>
            <p>{message}</p>
          </Callout>
        </div>
      </main>
    </div>
  );
}

export function App() {
  const state = app.session.state.value;
  const { status } = state;
  useEffect(() => {
    document.body.classList.toggle("waiting", status === "unknown");
  }, [status]);
  if (status === "signed_in") return <Frame />;
  if (status === "signed_out") {
    return (
      <>
        <SignIn />
        <ToastList />
      </>
    );
  }
  if (status === "refused") return <Refused message={state.message} />;
  return app.connection.lost.value ? <Banner /> : null;
}
