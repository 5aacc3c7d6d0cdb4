/** What is on the screen: the sign-in page, or the frame around a page. */

import { useEffect } from "preact/hooks";
import { app } from "../app.ts";
import { ToastList } from "../components/toasts.tsx";
import { Banner } from "./banner.tsx";
import { Frame } from "./frame.tsx";
import { SignIn } from "./sign_in.tsx";

export function App() {
  const { status } = app.session.state.value;
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
  return app.connection.lost.value ? <Banner /> : null;
}
