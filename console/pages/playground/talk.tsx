/** The conversation: what was asked, and the answers below each question. */

import { Icon } from "../../components/icon.tsx";
import { Empty } from "../../components/page.tsx";
import { formatBytes, shortModel } from "../../format.ts";
import type { Attachment } from "../../models/playground/attachments.ts";
import type { Chat, Turn } from "../../models/playground/chat.ts";
import { composeText, playgroundText, turnText } from "../../text/playground.ts";
import { Answer, AnswerBody, AnswerHead, MeterLine } from "./answer.tsx";

const signs = { text: "file", file: "file", image: "image", audio: "sound" } as const;

export function AttachmentName({ one }: { readonly one: Attachment }) {
  const isKept = one.data !== "" || one.size === 0;
  return (
    <span class="row small soft attachment">
      <Icon name={signs[one.kind]} />
      <bdi class="cut" title={one.name}>{one.name}</bdi>
      <span class="faint">{isKept ? formatBytes(one.size) : composeText.notKept}</span>
    </span>
  );
}

function Question({ chat, turn, at }: { readonly chat: Chat; readonly turn: Turn; readonly at: number }) {
  const { text, attachments } = turn.message;
  return (
    <div class={`turn turn-user${chat.editing.value === at ? " turn-edited" : ""}`}>
      <p class="unseen">{turnText.you}</p>
      {text !== "" && <p class="plain-text" dir="auto">{text}</p>}
      {attachments.map((one, index) => <AttachmentName key={index} one={one} />)}
      <p>
        <button
          type="button"
          class="button button-plain turn-edit"
          disabled={chat.isBusy.value}
          onClick={() => {
            chat.edit(at);
            document.querySelector<HTMLElement>(".compose textarea")?.focus();
          }}
        >
          <Icon name="edit" />
          {composeText.edit}
        </button>
      </p>
    </div>
  );
}

function Columns({ turn }: { readonly turn: Turn }) {
  return (
    <div class="compare">
      {turn.runs.value.map((run, at) => (
        <article
          key={at}
          class="box"
          aria-label={turnText.answerOf(shortModel(run.model))}
          aria-busy={!run.isOver.value}
        >
          <header class="turn-who">
            <AnswerHead run={run} />
          </header>
          <div class="turn">
            <AnswerBody run={run} />
          </div>
          <MeterLine run={run} />
        </article>
      ))}
    </div>
  );
}

export function Talk({ chat }: { readonly chat: Chat }) {
  const turns = chat.turns.value;
  if (turns.length === 0) {
    return (
      <section class="box">
        <Empty icon="playground" title={playgroundText.emptyTitle} text={playgroundText.emptyText} />
      </section>
    );
  }
  return (
    <>
      {turns.map((turn, at) => <TurnView key={at} chat={chat} turn={turn} at={at} />)}
    </>
  );
}

function TurnView({ chat, turn, at }: { readonly chat: Chat; readonly turn: Turn; readonly at: number }) {
  const [first, ...others] = turn.runs.value;
  return (
    <>
      <Question chat={chat} turn={turn} at={at} />
      {others.length > 0 ? <Columns turn={turn} /> : first !== undefined && <Answer run={first} />}
    </>
  );
}
