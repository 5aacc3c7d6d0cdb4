/** One container beside the list: its files, to download, keep or delete, and what is known of it. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { DeleteDialog } from "../../components/action_dialog.tsx";
import { CodeBlock, Id } from "../../components/copy.tsx";
import { Icon } from "../../components/icon.tsx";
import { Empty, FailureBox } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Status } from "../../components/status.tsx";
import { type Column, Paging, Table } from "../../components/table.tsx";
import { formatBytes, formatMoment, formatMs } from "../../format.ts";
import {
  containerContentAddress,
  type ContainerFileRecord,
  ContainerFilesModel,
  type ContainerRecord,
  type ContainersModel,
} from "../../models/containers.ts";
import { toError } from "../../resource.ts";
import { containerPanelText, containersText, deleteContainerText } from "../../text/containers.ts";

interface ContainerPanelProps {
  readonly container: ContainerRecord;
  readonly list: ContainersModel;
  readonly onOpen: (id: string | undefined) => void;
}

/** Says what came of it. */
async function act(work: () => Promise<void>, { done, failed }: {
  readonly done: string;
  readonly failed: (why: string) => string;
}): Promise<void> {
  try {
    await work();
    app.toasts.show(done, { tone: "good" });
  } catch (error) {
    app.toasts.show(failed(toError(error).message), { tone: "bad" });
  }
}

function FileActions({ file, model }: {
  readonly file: ContainerFileRecord;
  readonly model: ContainerFilesModel;
}) {
  const { id, path } = file;
  const keep = () =>
    act(() => model.promote(id), {
      done: containerPanelText.kept(path),
      failed: (why) => containerPanelText.notKept(path, why),
    });
  const remove = () =>
    act(() => model.remove(id), {
      done: containerPanelText.fileDeleted(path),
      failed: (why) => containerPanelText.fileNotDeleted(path, why),
    });
  return (
    <span class="row">
      <a
        class="button button-icon button-plain"
        href={containerContentAddress(file)}
        download={path.split("/").at(-1)}
        aria-label={containerPanelText.download(path)}
        title={containerPanelText.download(path)}
      >
        <Icon name="download" />
      </a>
      {app.session.canChange.value && (
        <>
          <IconButton icon="keep" label={containerPanelText.keep(path)} onClick={() => void keep()} />
          <IconButton
            icon="trash"
            label={containerPanelText.deleteFile(path)}
            onClick={() => void remove()}
          />
        </>
      )}
    </span>
  );
}

function IconButton({ icon, label, onClick }: {
  readonly icon: "keep" | "trash";
  readonly label: string;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      class="button button-icon button-plain"
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

function columnsOf(model: ContainerFilesModel): readonly Column<ContainerFileRecord>[] {
  const { columns } = containerPanelText;
  return [
    {
      id: "path",
      head: columns.path,
      main: true,
      cell: ({ path }) => <span class="cut" title={path}>{path}</span>,
    },
    { id: "size", head: columns.size, numeric: true, cell: ({ bytes }) => formatBytes(bytes) },
    {
      id: "actions",
      head: columns.actions,
      headUnseen: true,
      numeric: true,
      cell: (file) => <FileActions file={file} model={model} />,
    },
  ];
}

function ContainerFiles({ container }: Pick<ContainerPanelProps, "container">) {
  const model = useMemo(() => new ContainerFilesModel(app.api, container.id), [container.id]);
  useEffect(() => whenConnected(() => void model.list.restart()), [model]);
  const failure = model.list.failure.value;
  const [first, count] = [model.list.firstNumber.value, model.files.value?.length ?? 0];
  if (failure !== undefined) {
    return (
      <FailureBox
        title={containerPanelText.unreadable}
        failure={failure}
        onRetry={() => void model.list.load()}
      />
    );
  }
  return (
    <Table
      caption={containerPanelText.caption(container.id)}
      columns={columnsOf(model)}
      rows={model.files.value}
      keyOf={({ id }) => id}
      skeletonRows={3}
      empty={<Empty icon="file" title={containerPanelText.none} text={containerPanelText.noneText} />}
      foot={
        <Paging
          text={containerPanelText.count(first, count === 0 ? 0 : first + count - 1)}
          onPrevious={model.list.hasPrevious.value ? () => void model.list.previous() : undefined}
          onNext={model.list.hasNext.value ? () => void model.list.next() : undefined}
        />
      }
    />
  );
}

type LastCommand = NonNullable<ContainerRecord["last_command"]>;

function CommandStatus({ command: { status, exit_code } }: { readonly command: LastCommand }) {
  switch (status) {
    case "exit":
      return <Status tone={exit_code === 0 ? "good" : "warn"} text={containerPanelText.exited(exit_code)} />;
    case "timeout":
      return <Status tone="bad" text={containerPanelText.timedOut} />;
    case "failed":
      return <Status tone="bad" text={containerPanelText.failed} />;
    default:
      return status satisfies never;
  }
}

function LastCommandFacts({ container: { last_command: last } }: Pick<ContainerPanelProps, "container">) {
  if (last === null) return null;
  return (
    <section aria-label={containerPanelText.last}>
      <h3>{containerPanelText.last}</h3>
      <CodeBlock title={containerPanelText.languages[last.language]} code={last.command} />
      <dl class="facts">
        <dt>{containerPanelText.result}</dt>
        <dd>
          <CommandStatus command={last} />
        </dd>
        <dt>{containerPanelText.started}</dt>
        <dd>{formatMoment(last.started_at)}</dd>
        <dt>{containerPanelText.took}</dt>
        <dd>{formatMs(last.seconds * 1_000)}</dd>
      </dl>
    </section>
  );
}

function About({ container }: Pick<ContainerPanelProps, "container">) {
  const { id, network_policy: network, created_at, last_used_at, expires_at } = container;
  return (
    <section aria-label={containerPanelText.about}>
      <h3>{containerPanelText.about}</h3>
      <dl class="facts">
        <dt>{containerPanelText.id}</dt>
        <dd>
          <Id id={id} />
        </dd>
        <dt>{containerPanelText.network}</dt>
        <dd>
          {network.type === "disabled" ? containerPanelText.noNetwork : network.allowed_domains.join(", ")}
        </dd>
        <dt>{containerPanelText.created}</dt>
        <dd>{formatMoment(created_at)}</dd>
        <dt>{containerPanelText.used}</dt>
        <dd>{formatMoment(last_used_at)}</dd>
        <dt>{containerPanelText.expires}</dt>
        <dd>{formatMoment(expires_at)}</dd>
      </dl>
    </section>
  );
}

function DeleteContainer(
  { container, list, onOpen, onClose }: ContainerPanelProps & { readonly onClose: () => void },
) {
  return (
    <DeleteDialog
      name={container.id}
      text={deleteContainerText}
      work={() => list.remove(container.id)}
      onDeleted={() => onOpen(undefined)}
      onClose={onClose}
    >
      <p class="soft">{deleteContainerText.text}</p>
    </DeleteDialog>
  );
}

function neighbor({ list, container }: ContainerPanelProps, step: 1 | -1): string | undefined {
  const all = list.containers.value ?? [];
  return all[all.findIndex(({ id }) => id === container.id) + step]?.id;
}

export function ContainerPanel(props: ContainerPanelProps) {
  const { container, onOpen } = props;
  const deleting = useSignal(false);
  const [previous, next] = [neighbor(props, -1), neighbor(props, 1)];
  const show = (on: boolean) => () => {
    deleting.value = on;
  };
  return (
    <Panel
      title={container.id}
      names={containerPanelText}
      about={
        <>
          <span class="faint">
            {container.status === "running" ? containersText.running : containersText.sleeping}
          </span>
          <span class="faint">{formatBytes(container.bytes)}</span>
        </>
      }
      onPrevious={previous === undefined ? undefined : () => onOpen(previous)}
      onNext={next === undefined ? undefined : () => onOpen(next)}
      onClose={() => onOpen(undefined)}
      foot={app.session.canChange.value && (
        <button type="button" class="button button-warn-text" onClick={show(true)}>
          <Icon name="trash" />
          {containerPanelText.delete}
        </button>
      )}
    >
      <ContainerFiles container={container} />
      <LastCommandFacts container={container} />
      <About container={container} />
      {deleting.value && <DeleteContainer {...props} onClose={show(false)} />}
    </Panel>
  );
}
