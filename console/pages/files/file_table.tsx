/** The list of files. */

import { app } from "../../app.ts";
import { Icon, type IconName } from "../../components/icon.tsx";
import { Empty } from "../../components/page.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { type Column, Paging, Table } from "../../components/table.tsx";
import { formatBytes, formatMoment } from "../../format.ts";
import { previewKind } from "../../models/file_preview.ts";
import { type ConsoleFileRecord, contentAddress, type FilesModel } from "../../models/files.ts";
import { commonText } from "../../text/common.ts";
import { filesText } from "../../text/files.ts";
import { chosenWorkspace, workspaceName } from "../../workspaces.ts";

const kindIcons: { readonly [K in ReturnType<typeof previewKind>]: IconName } = {
  text: "file",
  document: "file",
  image: "image",
  sound: "sound",
  none: "file",
  too_large: "file",
};

export const openFile = (id: string | undefined) => app.router.setQuery({ file: id }, { push: true });

const { columns } = filesText;

const workspaceColumn: Column<ConsoleFileRecord> = {
  id: "workspace",
  head: filesText.workspace,
  shown: "mid-only",
  className: "soft",
  cell: ({ workspace_id }) => <bdi>{workspaceName(workspace_id)}</bdi>,
};

function columnsOf({ ofAll }: { readonly ofAll: boolean }): readonly Column<ConsoleFileRecord>[] {
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
    ...(ofAll ? [workspaceColumn] : []),
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
      cell: (file) => file.downloadable && <DownloadLink file={file} />,
    },
  ];
}

function DownloadLink({ file }: { readonly file: ConsoleFileRecord }) {
  return (
    <a
      class="button button-icon button-plain"
      href={contentAddress(file)}
      download={file.filename}
      aria-label={filesText.download(file.filename)}
      title={filesText.download(file.filename)}
    >
      <Icon name="download" />
    </a>
  );
}

function NoFiles({ model }: { readonly model: FilesModel }) {
  const [q, page] = [model.q.value, model.list.data.value];
  if (q === "") return <Empty icon="file" title={filesText.none} text={filesText.noneText} />;
  const until = page?.scanned_until ?? undefined;
  return (
    <Empty
      icon="search"
      title={filesText.notFound}
      text={until === undefined ? filesText.notFoundText(q) : filesText.notFoundUntil(q, formatMoment(until))}
    >
      {until !== undefined && (
        <button type="button" class="button" onClick={() => void model.list.next()}>
          {filesText.further}
        </button>
      )}
      <button type="button" class="button" onClick={() => model.search("")}>{filesText.showAll}</button>
    </Empty>
  );
}

export function FileTable({ model }: { readonly model: FilesModel }) {
  const first = model.list.firstNumber.value;
  const count = model.files.value?.length ?? 0;
  const chosen = chosenWorkspace.value;
  return (
    <Table
      caption={filesText.caption(chosen?.name ?? filesText.allWorkspaces)}
      columns={columnsOf({ ofAll: chosen === undefined })}
      rows={model.files.value}
      keyOf={({ id }) => id}
      current={app.router.query.value.get("file")}
      empty={<NoFiles model={model} />}
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
