/** Models and providers: what may be asked, what it costs and how it stands. */

import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { FailureBox, Page } from "../components/page.tsx";
import { CatalogModel } from "../models/catalog/catalog.ts";
import { modelsText } from "../text/models.ts";
import { modelTabNames } from "../text/providers.ts";
import { shownWorkspace } from "../workspaces.ts";
import { CatalogFilterLine } from "./models/catalog_filter_line.tsx";
import { CatalogTable } from "./models/catalog_table.tsx";
import { Compare, CompareBar } from "./models/compare.tsx";
import { ModelPanel } from "./models/model_panel.tsx";
import { Providers } from "./models/providers.tsx";
import { Route } from "./models/route.tsx";

/** The switcher's workspace, else the first one: what may be used differs by workspace. */
const shownId = computed(() => shownWorkspace.value?.id);

function useCatalog(): CatalogModel {
  const { api, router } = app;
  const model = useMemo(() => new CatalogModel({ api, router, workspaceId: shownId }), []);
  const id = shownId.value;
  useEffect(() => id === undefined ? undefined : whenConnected(() => void model.list.load()), [id]);
  useEffect(() => () => model.list.stop(), []);
  return model;
}

const views = ["models", "providers", "route"] as const;
type View = (typeof views)[number];

const viewOf = (text: string | undefined): View => views.find((view) => view === text) ?? "models";

function Tabs({ view }: { readonly view: View }) {
  return (
    <nav class="tabs" aria-label={modelsText.title}>
      {views.map((one) => (
        <a
          key={one}
          href={app.router.link("/models", { view: one === "models" ? undefined : one })}
          aria-current={one === view ? "page" : undefined}
        >
          {modelTabNames[one]}
        </a>
      ))}
    </nav>
  );
}

function Catalog({ model, workspace }: { readonly model: CatalogModel; readonly workspace: string }) {
  const failure = model.list.failure.value;
  return (
    <>
      <CatalogFilterLine model={model} />
      {failure === undefined ? <CatalogTable model={model} workspace={workspace} /> : (
        <FailureBox
          title={modelsText.unreadable}
          failure={failure}
          onRetry={() => void model.list.load()}
        />
      )}
      <CompareBar model={model} />
    </>
  );
}

export function page() {
  const model = useCatalog();
  const open = model.open.value;
  const view = viewOf(app.router.query.value.get("view"));
  const workspace = shownWorkspace.value?.name ?? "";
  return (
    <>
      <Page
        title={modelsText.title}
        detail={workspace === "" ? undefined : modelsText.forWorkspace(workspace)}
      >
        <Tabs view={view} />
        {view === "models" && <Catalog model={model} workspace={workspace} />}
        {view === "providers" && <Providers model={model} workspaceId={shownId.value} />}
        {view === "route" && <Route workspaceId={shownId} workspace={workspace} />}
      </Page>
      {view === "models" && app.router.query.value.get("open") === "compare" && <Compare model={model} />}
      {view === "models" && open !== undefined && <ModelPanel key={open} id={open} list={model} />}
    </>
  );
}
