/** Files of a workspace, and of its containers: browse, download, upload by drop, preview, delete. */

import { computed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { ChipSelect } from "../components/chip.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { Empty, FailureBox, Page } from "../components/page.tsx";
import { Segments } from "../components/forms/segments.tsx";
import { RelativeTime } from "../components/relative_time.tsx";
import { type Column, Paging, Table } from "../components/table.tsx";
import { formatBytes, formatPercent } from "../format.ts";
import { previewKind } from "../models/file_preview.ts";
import type { ContainersModel } from "../models/containers.ts";
import { type ConsoleFileRecord, contentAddress, FilesModel } from "../models/files.ts";
import { commonText } from "../text/common.ts";
import { containersText } from "../text/containers.ts";
import { filesText } from "../text/files.ts";
import { chosenWorkspace, workspaces } from "../workspaces.ts";
import { ContainerPanel } from "./files/container_panel.tsx";
import { ContainerTable, openContainer, useContainers } from "./files/containers.tsx";
import { FilePanel } from "./files/file_panel.tsx";

const kindIcons: { readonly [K in ReturnType<typeof previewKind>]: IconName } = {
  text: "file",
  document: "file",
  image: "image",
  sound: "sound",
  none: "file",
  too_large: "file",
};

/** The switcher's workspace, else the first one: files belong to one. */
const shownWorkspace = computed(() => chosenWorkspace.value ?? workspaces.data.value?.[0]);
const shownId = computed(() => shownWorkspace.value?.id);

const isContainerView = () => app.router.query.value.get("view") === "containers";

function useModel(): FilesModel {
  const model = useMemo(() =>
    new FilesModel({
      api: app.api,
      workspaceId: shownId,
      onUploaded: (name) => app.toasts.show(filesText.uploaded(name), { tone: "good" }),
      onFailed: (name, error) =>
        app.toasts.show(filesText.uploadFailed(name, error.message), { tone: "bad" }),
    }), []);
  const id = shownId.value;
  // A file may have been kept from a container meanwhile.
  const isShown = !isContainerView();
  useEffect(
    () => id === undefined || !isShown ? undefined : whenConnected(() => void model.list.restart()),
    [id, isShown],
  );
  return model;
}

const openFile = (id: string | undefined) => app.router.setQuery({ file: id }, { push: true });

function columnsOf(workspaceId: string): readonly Column<ConsoleFileRecord>[] {
  const { columns } = filesText;
  return [
    {
      id: "name",
      head: columns.name,
      main: true,
      cell: (file) => (
        <span class="file-name">
          <Icon name={kindIcons[previewKind(file)]} />
          <button type="button" class="row-link cut" onClick={() => openFile(file.id)}>
            {file.filename}
          </button>
        </span>
      ),
    },
    {
      id: "kind",
      head: columns.kind,
      shown: "mid-only",
      className: "soft",
      cell: ({ mime_type }) => mime_type,
    },
    { id: "size", head: columns.size, numeric: true, cell: ({ size_bytes }) => formatBytes(size_bytes) },
    {
      id: "created",
      head: columns.created,
      numeric: true,
      shown: "small-off",
      className: "soft",
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      id: "actions",
      head: commonText.actions,
      headUnseen: true,
      numeric: true,
      cell: (file) => file.downloadable && <DownloadLink file={file} workspaceId={workspaceId} />,
    },
  ];
}

function DownloadLink({ file, workspaceId }: {
  readonly file: ConsoleFileRecord;
  readonly workspaceId: string;
}) {
  return (
    <a
      class="button button-icon button-plain"
      href={contentAddress(file, workspaceId)}
      download={file.filename}
      aria-label={filesText.download(file.filename)}
      title={filesText.download(file.filename)}
    >
      <Icon name="download" />
    </a>
  );
}

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

function FileTable({ model, workspaceId }: { readonly model: FilesModel; readonly workspaceId: string }) {
  const first = model.list.firstNumber.value;
  const count = model.files.value?.length ?? 0;
  return (
    <Table
      caption={filesText.caption(shownWorkspace.value?.name ?? "")}
      columns={columnsOf(workspaceId)}
      rows={model.files.value}
      keyOf={({ id }) => id}
      current={app.router.query.value.get("file")}
      empty={<Empty icon="file" title={filesText.none} text={filesText.noneText} />}
      foot={
        <Paging
          text={filesText.count(first, count === 0 ? 0 : first + count - 1)}
          onPrevious={model.list.hasPrevious.value ? () => void model.list.previous() : undefined}
          onNext={model.list.hasNext.value ? () => void model.list.next() : undefined}
        />
      }
    />
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

/** Files, or what models have made in containers. */
function Filters() {
  const workspace = shownWorkspace.value;
  const choices = (workspaces.data.value ?? []).map(({ slug, name }) => ({ value: slug, text: name }));
  return (
    <div class="filters">
      <Segments
        label={containersText.view}
        choices={[
          { value: "files", text: containersText.files },
          { value: "containers", text: containersText.containers },
        ]}
        value={isContainerView() ? "containers" : "files"}
        onChange={(view) =>
          app.router.setQuery(
            { view: view === "files" ? undefined : view, file: undefined, container: undefined },
            { push: true },
          )}
      />
      {workspace !== undefined && (
        <ChipSelect
          label={filesText.workspace}
          choices={choices}
          value={workspace.slug}
          onChange={(slug) => app.router.setQuery({ workspace: slug }, { push: true })}
        />
      )}
    </div>
  );
}

function FileList({ model }: { readonly model: FilesModel }) {
  const failure = model.list.failure.value;
  if (failure === undefined) return <FileTable model={model} workspaceId={shownId.value ?? ""} />;
  return <FailureBox title={filesText.unreadable} failure={failure} onRetry={() => void model.list.load()} />;
}

function OpenPanel({ model, containers }: {
  readonly model: FilesModel;
  readonly containers: ContainersModel;
}) {
  const workspace = shownWorkspace.value;
  const { value: query } = app.router.query;
  if (workspace === undefined) return null;
  if (isContainerView()) {
    const container = containers.containers.value?.find(({ id }) => id === query.get("container"));
    return container === undefined
      ? null
      : <ContainerPanel key={container.id} container={container} list={containers} onOpen={openContainer} />;
  }
  const file = model.files.value?.find(({ id }) => id === query.get("file"));
  return file === undefined
    ? null
    : <FilePanel key={file.id} file={file} workspace={workspace} list={model} onOpen={openFile} />;
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
        <Filters />
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
