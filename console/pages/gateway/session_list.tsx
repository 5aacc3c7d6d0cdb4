/** Open sessions of the console: who is signed in, from where, and the ways to end them. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { SessionListEntry } from "../../../shared/console.ts";
import { app, whenConnected } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { FailureBox, Section } from "../../components/page.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatTime } from "../../format.ts";
import { SessionsModel } from "../../models/gateway/sessions.ts";
import { toError } from "../../resource.ts";
import { commonText } from "../../text/common.ts";
import { endOthersText, sessionsText } from "../../text/gateway/settings.ts";
import { SignInLink } from "./sign_in_link.tsx";

const { columns } = sessionsText;

const factColumns: readonly Column<SessionListEntry>[] = [
  {
    id: "key",
    head: columns.key,
    main: true,
    cell: ({ name, label, kind, read_only, current }) => (
      <>
        <span class="row">
          <bdi class="cut">{name}</bdi>
          {current && <span class="badge badge-accent">{sessionsText.own}</span>}
        </span>
        <span class="sub">
          {[label, sessionsText.kinds[kind], ...(read_only ? [sessionsText.readOnly] : [])].join(" · ")}
        </span>
      </>
    ),
  },
  {
    id: "address",
    head: columns.address,
    shown: "small-off",
    className: "soft",
    cell: ({ address }) => address ?? sessionsText.unknownAddress,
  },
  {
    id: "since",
    head: columns.since,
    numeric: true,
    shown: "mid-only",
    className: "soft",
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
  {
    id: "seen",
    head: columns.seen,
    numeric: true,
    className: "soft",
    cell: ({ last_seen_at }) => <RelativeTime at={last_seen_at} />,
  },
  {
    id: "ends",
    head: columns.ends,
    numeric: true,
    shown: "wide-only",
    className: "soft",
    cell: ({ idle_expires_at }) => `${formatTime(idle_expires_at)} UTC`,
  },
];

/** Whether the caller may end it: a read-only manager those of the own key only. */
function mayEnd({ key_hash }: SessionListEntry): boolean {
  return app.session.canChange.value || key_hash === app.session.current.value?.key_hash;
}

function endColumn(model: SessionsModel): Column<SessionListEntry> {
  const end = async ({ id, name }: SessionListEntry) => {
    try {
      await model.end(id);
      app.toasts.show(sessionsText.ended(name), { tone: "good" });
    } catch (error) {
      app.toasts.show(sessionsText.notEnded(toError(error).message), { tone: "bad" });
    }
  };
  return {
    id: "end",
    head: commonText.actions,
    headUnseen: true,
    numeric: true,
    className: "action",
    cell: (session) =>
      !session.current && mayEnd(session) && (
        <button
          type="button"
          class="button"
          aria-label={sessionsText.endOf(session.name)}
          onClick={() => void end(session)}
        >
          {sessionsText.end}
        </button>
      ),
  };
}

function EndOthers({ model, count, onClose }: {
  readonly model: SessionsModel;
  readonly count: number;
  readonly onClose: () => void;
}) {
  const action = useAction(async () => {
    const ended = await model.endOthers();
    app.toasts.show(endOthersText.ended(ended), { tone: "good" });
    onClose();
  });
  return (
    <ActionDialog
      title={endOthersText.title}
      action={action}
      submit={endOthersText.submit}
      danger
      failed={endOthersText.failed}
      onClose={onClose}
    >
      <p>{endOthersText.text(count)}</p>
      {!app.session.canChange.value && <p class="soft">{endOthersText.ofKey}</p>}
    </ActionDialog>
  );
}

function Foot({ model, onEnd }: { readonly model: SessionsModel; readonly onEnd: (() => void) | undefined }) {
  return (
    <>
      <span>{sessionsText.count(model.list.data.value?.length ?? 0)}</span>
      <span class="push row">
        <button type="button" class="button button-warn-text" disabled={onEnd === undefined} onClick={onEnd}>
          {sessionsText.endOthers}
        </button>
      </span>
    </>
  );
}

export function SessionList() {
  const model = useMemo(() => new SessionsModel(app.api), []);
  useEffect(() => whenConnected(() => void model.list.load()), [model]);
  useEffect(() => () => model.list.stop(), [model]);
  const isEnding = useSignal(false);
  const [rows, failure] = [model.list.data.value, model.list.failure.value];
  const others = (rows ?? []).filter((one) => !one.current && mayEnd(one)).length;
  const openDialog = () => {
    isEnding.value = true;
  };
  if (failure !== undefined) {
    return (
      <FailureBox
        title={sessionsText.unreadable}
        failure={failure}
        onRetry={() => void model.list.load()}
      />
    );
  }
  return (
    <>
      <Section title={sessionsText.caption}>
        <Table
          caption={sessionsText.caption}
          columns={[...factColumns, endColumn(model)]}
          rows={rows}
          keyOf={({ id }) => id}
          skeletonRows={3}
          foot={<Foot model={model} onEnd={others === 0 ? undefined : openDialog} />}
        />
        {!app.session.canChange.value && <p class="small soft">{sessionsText.mayNot}</p>}
      </Section>
      {app.session.canChange.value && <SignInLink model={model} />}
      {isEnding.value && (
        <EndOthers
          model={model}
          count={others}
          onClose={() => {
            isEnding.value = false;
          }}
        />
      )}
    </>
  );
}
