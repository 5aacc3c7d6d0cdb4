/** The frame of every page: rail, top bar, and the page, which is loaded when it is first opened. */

import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { Component, type ComponentChildren, type ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ConnectionLost } from "../api.ts";
import { app, whenConnected } from "../app.ts";
import { Icon } from "../components/icon.tsx";
import { Empty, Page } from "../components/page.tsx";
import { ToastList } from "../components/toasts.tsx";
import { type PageRow, pages, pagesFor } from "../pages/mod.ts";
import { frameText } from "../text/frame.ts";
import { Banner } from "./banner.tsx";
import { Overlays } from "./overlays.tsx";
import { Rail } from "./rail.tsx";
import { workspacesKnown } from "../workspaces.ts";
import { heldStep } from "../unsaved.ts";
import { TopBar } from "./top_bar.tsx";
import { UnsavedDialog } from "./unsaved_dialog.tsx";

/** Pages that were loaded, by their row. */
const loaded = signal<ReadonlyMap<PageRow, ComponentType>>(new Map());

function currentRow(): PageRow | undefined {
  const session = app.session.current.value;
  if (session === undefined) return undefined;
  return pagesFor(session.kind).find(({ path }) => path === app.router.path.value);
}

/** A rendering that throws does not take the frame with it. */
class ErrorBoundary
  extends Component<{ readonly children: ComponentChildren }, { readonly failed?: boolean }> {
  override state: { readonly failed?: boolean } = {};

  static override getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render() {
    return this.state.failed === true ? <PageFailed text={frameText.pageFailed} /> : this.props.children;
  }
}

function PageFailed({ text }: { readonly text: string }) {
  return (
    <Page title={frameText.pageFailed}>
      <section class="box empty" role="alert">
        <Icon name="stop" tone="bad" big />
        <p>{text}</p>
        <button type="button" class="button button-primary" onClick={() => location.reload()}>
          <Icon name="reload" />
          {frameText.reload}
        </button>
      </section>
    </Page>
  );
}

function NotFound() {
  return (
    <Page title={frameText.notFound}>
      <section class="box">
        <Empty icon="search" title={frameText.notFound} text={frameText.notFoundText}>
          <a class="button" href={app.router.link("")}>{frameText.toOverview}</a>
        </Empty>
      </section>
    </Page>
  );
}

/** Why a page's script could not be loaded; `lost`: it is loaded when the gateway is back. */
type LoadFailure = "lost" | "updated" | "broken";

const failureTexts = {
  updated: frameText.updated,
  broken: frameText.pageBroken,
} as const;

/** Asks the gateway whether it serves another console by now than the one that is open. */
async function findLoadFailure(): Promise<LoadFailure> {
  const own = document.querySelector("script[type=module]")?.getAttribute("src") ?? "";
  try {
    const page = await app.api.send("GET", "/console");
    return (await page.text()).includes(own) ? "broken" : "updated";
  } catch (error) {
    if (error instanceof ConnectionLost) return "lost";
    console.error(error);
    return "broken";
  }
}

/** Whether the address names something that only the workspaces tell: until they were read, nothing is shown. */
function waitsForWorkspaces(): boolean {
  const query = app.router.query.value;
  return app.session.isManager.value && !workspacesKnown.value &&
    ["workspace", "open"].some((name) => query.has(name));
}

function LoadedPage({ row }: { readonly row: PageRow }) {
  const failure = useSignal<LoadFailure | undefined>(undefined);
  const Content = loaded.value.get(row);
  useEffect(() => {
    document.title = `${row.name} · ${frameText.product}`;
  }, [row]);
  useEffect(() =>
    whenConnected(() => {
      if (loaded.peek().has(row)) return;
      row.load().then(
        ({ page }) => {
          loaded.value = new Map([...loaded.peek(), [row, page]]);
        },
        async (error) => {
          console.warn(error);
          failure.value = await findLoadFailure();
        },
      );
    }), [row]);
  if (Content !== undefined && !waitsForWorkspaces()) return <Content />;
  if (failure.value === undefined) return <Page title={row.name}>{null}</Page>;
  return failure.value === "lost"
    ? <PageLost title={row.name} />
    : <PageFailed text={failureTexts[failure.value]} />;
}

/** The banner says since when, and when it is tried again. */
function PageLost({ title }: { readonly title: string }) {
  return (
    <Page title={title}>
      <section class="box">
        <Empty icon="offline" title={frameText.noConnection} text={frameText.loadsWhenBack} />
      </section>
    </Page>
  );
}

/** Leads an API key that is signed in at a manager's address to its own page. */
function ToOwnPage() {
  useEffect(() => app.router.replace(""), []);
  return null;
}

/** The page of the address, or why there is none for this session. */
function CurrentPage({ row }: { readonly row: PageRow | undefined }) {
  if (row !== undefined) return <LoadedPage key={row.name} row={row} />;
  return pages.some(({ path }) => path === app.router.path.value) ? <ToOwnPage /> : <NotFound />;
}

export function Frame() {
  const row = currentRow();
  useSignalEffect(() => {
    app.router.path.value;
    globalThis.scrollTo(0, 0);
  });
  return (
    <div class="frame">
      <a class="skip" href="#main">{frameText.skip}</a>
      <Rail />
      <TopBar />
      <Banner />
      <ErrorBoundary key={row?.name}>
        <CurrentPage row={row} />
      </ErrorBoundary>
      <Overlays />
      {heldStep.value !== undefined && <UnsavedDialog />}
      <ToastList />
    </div>
  );
}
