/** The box in which a message is written, with the files that go along. */

import { useRef } from "preact/hooks";
import { app } from "../../app.ts";
import { Icon } from "../../components/icon.tsx";
import { formatBytes } from "../../format.ts";
import {
  type Attachment,
  MOST_ATTACHMENT_BYTES,
  readAttachment,
} from "../../models/playground/attachments.ts";
import type { Chat } from "../../models/playground/chat.ts";
import type { PlayModel } from "../../models/playground/play_models.ts";
import { composeText, playgroundText } from "../../text/playground.ts";
import { AttachmentName } from "./talk.tsx";

async function attach(chat: Chat, files: readonly File[]): Promise<void> {
  const fitting = files.filter(({ name, size }) => {
    if (size <= MOST_ATTACHMENT_BYTES) return true;
    app.toasts.show(composeText.tooLarge(name, formatBytes(MOST_ATTACHMENT_BYTES)), { tone: "bad" });
    return false;
  });
  const read = await Promise.all(fitting.map(readAttachment));
  chat.attachments.value = [...chat.attachments.value, ...read];
}

const needs = { text: "text", image: "image", audio: "audio", file: "file" } as const;

/** Says which files a model does not say that it takes; empty where it takes all. */
function untaken(attachments: readonly Attachment[], model: PlayModel | undefined): string {
  if (model === undefined) return "";
  const kinds = new Set(attachments.map(({ kind }) => kind).filter((kind) => !model.takes.has(needs[kind])));
  kinds.delete("text");
  return kinds.size === 0
    ? ""
    : composeText.notTaken(model.id, [...kinds].map((kind) => composeText.kinds[kind]).join(", "));
}

function AttachButton({ chat }: { readonly chat: Chat }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class="button button-icon button-plain"
        aria-label={composeText.attach}
        title={composeText.attach}
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          void attach(chat, [...currentTarget.files ?? []]);
          currentTarget.value = "";
        }}
      />
    </>
  );
}

function Attachments({ chat }: { readonly chat: Chat }) {
  const { value: attachments } = chat.attachments;
  if (attachments.length === 0) return null;
  return (
    <ul class="row row-wrap compose-files">
      {attachments.map((one, at) => (
        <li key={at} class="row">
          <AttachmentName one={one} />
          <button
            type="button"
            class="button button-icon button-plain"
            aria-label={composeText.drop(one.name)}
            onClick={() => {
              chat.attachments.value = attachments.filter((_, other) => other !== at);
            }}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ComposerProps {
  readonly chat: Chat;
  /** One for each answer. */
  readonly models: readonly string[];
  readonly known: readonly PlayModel[];
  /** The session may run something. */
  readonly canRun: boolean;
}

function Buttons({ chat, models, canRun }: ComposerProps) {
  if (chat.isBusy.value) {
    return (
      <button type="button" class="button" onClick={() => chat.stop()}>
        <Icon name="halt" />
        {composeText.stop}
      </button>
    );
  }
  const canRepeat = canRun && chat.turns.value.length > 0 && chat.editing.value === undefined;
  const isReady = canRun && chat.canSend.value && models.every((model) => model !== "");
  return (
    <>
      {chat.editing.value !== undefined && (
        <button
          type="button"
          class="button"
          onClick={() => chat.cancelEdit()}
        >
          {composeText.cancelEdit}
        </button>
      )}
      {canRepeat && (
        <button type="button" class="button" onClick={() => chat.repeat(models)}>
          <Icon name="reload" />
          {composeText.again}
        </button>
      )}
      <button type="submit" class="button button-primary" disabled={!isReady}>
        <Icon name="send" />
        {composeText.send}
      </button>
    </>
  );
}

function MessageField({ chat, onSend }: { readonly chat: Chat; readonly onSend: () => void }) {
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    onSend();
  };
  return (
    <textarea
      rows={Math.min(10, Math.max(2, chat.draft.value.split("\n").length))}
      aria-label={composeText.message}
      placeholder={composeText.placeholder}
      value={chat.draft.value}
      onInput={({ currentTarget }) => {
        chat.draft.value = currentTarget.value;
      }}
      onKeyDown={press}
      onBlur={() => chat.keep()}
      onPaste={(event) => {
        const files = [...event.clipboardData?.files ?? []];
        if (files.length === 0) return;
        event.preventDefault();
        void attach(chat, files);
      }}
    />
  );
}

export function Composer(props: ComposerProps) {
  const { chat, models, known, canRun } = props;
  const send = () => {
    if (canRun && models.every((model) => model !== "")) chat.send(models);
  };
  const missing = models.map((model) => untaken(chat.attachments.value, known.find(({ id }) => id === model)))
    .filter((text) => text !== "");
  return (
    <form
      class="compose"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach(chat, [...event.dataTransfer?.files ?? []]);
      }}
    >
      {chat.editing.value !== undefined && <p class="small soft compose-note">{composeText.editing}</p>}
      <MessageField chat={chat} onSend={send} />
      <Attachments chat={chat} />
      {missing.map((text) => <p key={text} class="hint hint-bad compose-note">{text}</p>)}
      <div class="row row-wrap">
        <AttachButton chat={chat} />
        <span class="faint small wide">{canRun ? composeText.hint : playgroundText.readOnly}</span>
        <span class="push row">
          <Buttons {...props} />
        </span>
      </div>
    </form>
  );
}
