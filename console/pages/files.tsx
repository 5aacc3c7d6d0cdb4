/** Files of one or of all workspaces, and of containers: search, browse, download, upload by drop, preview, delete. */

import { computed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { ChipSelect } from "../components/chip.tsx";
import { Icon } from "../components/icon.tsx";
import { FailureBox, Page } from "../components/page.tsx";
import { SearchField } from "../components/forms/search_field.tsx";
import { Segments } from "../components/forms/segments.tsx";
import { formatPercent } from "../format.ts";
import type { ContainersModel } from "../models/containers.ts";
import { FilesModel } from "../models/files.ts";
import { containersText } from "../text/containers.ts";
import { filesText } from "../text/files.ts";
import { chosenWorkspace, shownWorkspace, workspaces } from "../workspaces.ts";
import { ContainerPanel } from "./files/container_panel.tsx";
import { useVisits } from "./files/use_visits.ts";
import { ContainerTable, openContainer, useContainers } from "./files/containers.tsx";
import { FilePanel } from "./files/file_panel.tsx";
import { FileTable, openFile } from "./files/file_table.tsx";

/** The switcher's workspace, else the first one: containers are listed of one, and uploads go to one. */
const shownId = computed(() => shownWorkspace.value?.id);

const isContainerView = () => app.router.query.value.get("view") === "containers";

function useModel(): FilesModel {
  const model = useMemo(() =>
    new FilesModel({
      api: app.api,
      router: app.router,
      workspaceId: computed(() => chosenWorkspace.value?.id),
      uploadsTo: shownId,
      onUploaded: (name) => {
        const text = filesText.uploadedTo(name, shownWorkspace.peek()?.name ?? "");
        app.toasts.show(text, { tone: "good" });
      },
      onFailed: (name, error) =>
        app.toasts.show(filesText.uploadFailed(name, error.message), { tone: "bad" }),
    }), []);
  const filter = model.filter.value;
  const isShown = !isContainerView();
  // A file may have been kept from a container meanwhile.
  const visit = useVisits(isShown);
  useEffect(
    () => isShown ? whenConnected(() => void model.list.open(`${filter} ${visit}`)) : undefined,
    [filter, visit],
  );
  return model;
}

/** Parts of the address that belong to one list and mean nothing in another. */
const elsewhere = {
  file: undefined,
  container: undefined,
  cursor: undefined,
  page: undefined,
} as const;

function Uploads({ model }: { readonly model: FilesModel }) {
  return (
    <>
      {model.uploads.value.map(({ id, name, share, stop }) => (
        <div key={id} class="box box-pad row" role="status">
          <Icon name="upload" />
          <span class="cut">{filesText.uploading(name, formatPercent(share))}</span>
          <progress max={1} value={share} aria-label={name} />
          <button
            type="button"
            class="button button-icon button-plain push"
            aria-label={filesText.cancel(name)}
            onClick={stop}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </>
  );
}

function UploadButton({ model }: { readonly model: FilesModel }) {
  const input = useRef<HTMLInputElement>(null);
  const pick = (event: Event & { readonly currentTarget: HTMLInputElement }) => {
    const files = [...event.currentTarget.files ?? []];
    event.currentTarget.value = "";
    void model.upload(files);
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden aria-label={filesText.upload} onChange={pick} />
      <button type="button" class="button button-primary" onClick={() => input.current?.click()}>
        <Icon name="upload" />
        {filesText.upload}
      </button>
    </>
  );
}

/** Files can be dropped anywhere on the page. */
function useDrop(model: FilesModel, enabled: boolean) {
  const over = useSignal(false);
  useEffect(() => {
    if (!enabled) return;
    const drag = (event: DragEvent) => {
      event.preventDefault();
      over.value = event.type === "dragover";
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      over.value = false;
      void model.upload([...event.dataTransfer?.files ?? []]);
    };
    document.addEventListener("dragover", drag);
    document.addEventListener("dragleave", drag);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", drag);
      document.removeEventListener("dragleave", drag);
      document.removeEventListener("drop", drop);
    };
  }, [enabled]);
  return over;
}

/** Value of the choice that stands for every workspace. */
const ALL = "";

/** Files, or what models have made in containers. */
function Filters({ model }: { readonly model: FilesModel }) {
  const isOfContainers = isContainerView();
  const workspace = isOfContainers ? shownWorkspace.value : chosenWorkspace.value;
  const choices = (workspaces.data.value ?? []).map(({ slug, name }) => ({ value: slug, text: name }));
  const all = { value: ALL, text: filesText.allWorkspaces };
  return (
    <div class="filters">
      {!isOfContainers && (
        <SearchField
          label={filesText.search}
          placeholder={filesText.searchHint}
          value={model.q.value}
          onInput={(q) => model.search(q)}
        />
      )}
      <Segments
        label={containersText.view}
        choices={[
          { value: "files", text: containersText.files },
          { value: "containers", text: containersText.containers },
        ]}
        value={isContainerView() ? "containers" : "files"}
        onChange={(view) =>
          app.router.setQuery(
            { ...elsewhere, view: view === "files" ? undefined : view },
            { push: true },
          )}
      />
      {(workspace !== undefined || !isOfContainers) && (
        <ChipSelect
          label={filesText.workspace}
          choices={isOfContainers ? choices : [all, ...choices]}
          value={workspace?.slug ?? ALL}
          none={isOfContainers ? undefined : ALL}
          onChange={(slug) => app.router.setQuery({ ...elsewhere, workspace: slug }, { push: true })}
        />
      )}
    </div>
  );
}

function FileList({ model }: { readonly model: FilesModel }) {
  const failure = model.list.failure.value;
  if (failure === undefined) return <FileTable model={model} />;
  return <FailureBox title={filesText.unreadable} failure={failure} onRetry={() => void model.list.load()} />;
}

function OpenPanel({ model, containers }: {
  readonly model: FilesModel;
  readonly containers: ContainersModel;
}) {
  const { value: query } = app.router.query;
  if (isContainerView()) {
    const container = containers.containers.value?.find(({ id }) => id === query.get("container"));
    return container === undefined
      ? null
      : <ContainerPanel key={container.id} container={container} list={containers} onOpen={openContainer} />;
  }
  const file = model.files.value?.find(({ id }) => id === query.get("file"));
  return file === undefined ? null : <FilePanel key={file.id} file={file} list={model} onOpen={openFile} />;
}

export function page() {
  const model = useModel();
  const showsContainers = isContainerView();
  const containers = useContainers(shownId, showsContainers);
  const canUpload = app.session.canChange.value && !showsContainers;
  const over = useDrop(model, canUpload);
  return (
    <>
      <Page title={filesText.title} actions={canUpload && <UploadButton model={model} />}>
        <Filters model={model} />
        {over.value && <div class="box drop empty" role="status">{filesText.drop}</div>}
        <Uploads model={model} />
        {showsContainers
          ? <ContainerTable model={containers} workspace={shownWorkspace.value?.name ?? ""} />
          : <FileList model={model} />}
      </Page>
      <OpenPanel model={model} containers={containers} />
    </>
  );
}
