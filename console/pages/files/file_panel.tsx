/** One file beside the list: a preview of what it holds, and what is known of it. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { DeleteDialog } from "../../components/action_dialog.tsx";
import { Refusal } from "../../components/callout.tsx";
import { Id } from "../../components/copy.tsx";
import { Icon } from "../../components/icon.tsx";
import { Panel } from "../../components/panel.tsx";
import { countOf, formatBytes, formatMoment } from "../../format.ts";
import {
  filePreview,
  MEDIA_BYTES,
  type Preview,
  previewKind,
  releasePreview,
} from "../../models/file_preview.ts";
import { type ConsoleFileRecord, contentAddress, type FilesModel } from "../../models/files.ts";
import { deleteFileText, filePanelText } from "../../text/files.ts";
import { workspaceName } from "../../workspaces.ts";

const deleteFile = operation<"files.delete">("DELETE", "/files/:file_id");

interface FilePanelProps {
  readonly file: ConsoleFileRecord;
  readonly list: FilesModel;
  readonly onOpen: (id: string | undefined) => void;
}

function ShownPreview({ preview, name }: { readonly preview: Preview; readonly name: string }) {
  if (preview.kind === "image") return <img class="preview-image" src={preview.url} alt={name} />;
  if (preview.kind === "sound") return <audio controls src={preview.url} aria-label={name} />;
  const lines = countOf(preview.lines.length, ["line", "lines"]);
  return (
    <>
      <h3>{preview.more ? filePanelText.firstLines(lines) : filePanelText.asText}</h3>
      <div class="code">
        <pre tabIndex={0} role="region" aria-label={name}>
          <code class="lines">{preview.lines.map((line, at) => <span key={at}>{line}</span>)}</code>
        </pre>
      </div>
    </>
  );
}

function LoadedPreview({ file }: Pick<FilePanelProps, "file">) {
  const preview = useMemo(() => filePreview({ api: app.api, file }), [
    file.id,
  ]);
  useEffect(() => {
    void preview.load();
    return () => {
      preview.stop();
      releasePreview(preview.data.peek());
    };
  }, [preview]);
  const shown = preview.data.value;
  const failure = preview.failure.value;
  if (failure !== undefined) return <Refusal title={filePanelText.previewFailed} error={failure} />;
  return shown === undefined
    ? <span class="bone bone-fill" />
    : <ShownPreview preview={shown} name={file.filename} />;
}

function PreviewSection(props: Pick<FilePanelProps, "file">) {
  const kind = previewKind(props.file);
  return (
    <section aria-label={filePanelText.preview}>
      {kind === "none" && <p class="small soft">{filePanelText.noPreview}</p>}
      {kind === "too_large" && <p class="small soft">{filePanelText.tooLarge(formatBytes(MEDIA_BYTES))}</p>}
      {kind !== "none" && kind !== "too_large" && <LoadedPreview {...props} />}
    </section>
  );
}

function About({ file }: Pick<FilePanelProps, "file">) {
  return (
    <section aria-label={filePanelText.about}>
      <h3>{filePanelText.about}</h3>
      <dl class="facts">
        <dt>{filePanelText.id}</dt>
        <dd>
          <Id id={file.id} />
        </dd>
        <dt>{filePanelText.kind}</dt>
        <dd>{file.mime_type}</dd>
        <dt>{filePanelText.size}</dt>
        <dd>{formatBytes(file.size_bytes)}</dd>
        <dt>{filePanelText.created}</dt>
        <dd>{formatMoment(file.created_at)}</dd>
        <dt>{filePanelText.workspace}</dt>
        <dd>
          <bdi>{workspaceName(file.workspace_id)}</bdi>
        </dd>
      </dl>
    </section>
  );
}

function DeleteFile(
  { file, list, onOpen, onClose }: FilePanelProps & { readonly onClose: () => void },
) {
  const { id, filename, workspace_id } = file;
  return (
    <DeleteDialog
      name={filename}
      text={deleteFileText}
      work={() => app.api.call(deleteFile, { params: { file_id: id }, query: { workspace_id } })}
      onDeleted={() => {
        onOpen(undefined);
        list.remove(id);
      }}
      onClose={onClose}
    >
      <p class="soft">{deleteFileText.text}</p>
    </DeleteDialog>
  );
}

function neighbor({ list, file }: Pick<FilePanelProps, "list" | "file">, step: 1 | -1): string | undefined {
  const all = list.files.value ?? [];
  return all[all.findIndex(({ id }) => id === file.id) + step]?.id;
}

export function FilePanel(props: FilePanelProps) {
  const { file, onOpen } = props;
  const deleting = useSignal(false);
  const [previous, next] = [neighbor(props, -1), neighbor(props, 1)];
  const show = (on: boolean) => () => {
    deleting.value = on;
  };
  return (
    <Panel
      title={file.filename}
      names={filePanelText}
      about={
        <>
          <span class="faint">{formatBytes(file.size_bytes)}</span>
          <span class="faint">{file.mime_type}</span>
        </>
      }
      onPrevious={previous === undefined ? undefined : () => onOpen(previous)}
      onNext={next === undefined ? undefined : () => onOpen(next)}
      onClose={() => onOpen(undefined)}
      foot={app.session.canChange.value && (
        <button type="button" class="button button-warn-text" onClick={show(true)}>
          <Icon name="trash" />
          {filePanelText.delete}
        </button>
      )}
    >
      {file.downloadable
        ? (
          <div>
            <a
              class="button button-primary"
              href={contentAddress(file)}
              download={file.filename}
            >
              <Icon name="download" />
              {filePanelText.download}
            </a>
          </div>
        )
        : <p class="small soft">{filePanelText.notDownloadable}</p>}
      {file.downloadable && <PreviewSection file={file} />}
      <About file={file} />
      {deleting.value && <DeleteFile {...props} onClose={show(false)} />}
    </Panel>
  );
}
