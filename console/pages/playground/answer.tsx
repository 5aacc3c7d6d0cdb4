/** One answer: who gives it, its items in their order, and what it costs. */

import type { ComponentChildren } from "preact";
import { app } from "../../app.ts";
import { Callout } from "../../components/callout.tsx";
import { Id } from "../../components/copy.tsx";
import { Status } from "../../components/status.tsx";
import { formatCount, formatMs, formatUsd, shortModel } from "../../format.ts";
import type { MessageItem, RunItem } from "../../models/playground/items.ts";
import type { Run, RunState } from "../../models/playground/run.ts";
import { turnText } from "../../text/playground.ts";
import { ModelLink } from "./markdown.tsx";
import { Prose } from "./prose.tsx";
import { Files, Reasoning, Tool } from "./steps.tsx";

const tones = {
  waiting: { tone: "off", icon: "clock" },
  answering: { tone: "off", icon: "clock" },
  completed: { tone: "good" },
  incomplete: { tone: "warn" },
  stopped: { tone: "warn", icon: "stop" },
  lost: { tone: "bad", icon: "offline" },
  failed: { tone: "bad" },
} as const satisfies Record<RunState, Omit<Parameters<typeof Status>[0], "text">>;

function RunStatus({ run }: { readonly run: Run }) {
  const state = run.state.value;
  return <Status {...tones[state]} text={turnText.states[state]} />;
}

function Message({ item, isLive }: { readonly item: MessageItem; readonly isLive: boolean }) {
  const citations = item.citations.value;
  return (
    <>
      <Prose text={item.text} citations={citations} isLive={isLive} />
      {citations.length > 0 && (
        <ol class="sources small" aria-label={turnText.sources}>
          {citations.map(({ number, title, url }) => (
            <li key={number}>
              {url === undefined
                ? <bdi>{title}</bdi>
                : <ModelLink href={url} text={title}>{title}</ModelLink>}
            </li>
          ))}
        </ol>
      )}
      <Files files={item.files.value} />
    </>
  );
}

function Item({ item, isLast, run }: {
  readonly item: RunItem;
  readonly isLast: boolean;
  readonly run: Run;
}) {
  const isLive = isLast && run.state.value === "answering";
  switch (item.type) {
    case "message":
      return <Message item={item} isLive={isLive} />;
    case "reasoning":
      return <Reasoning item={item} isLive={isLive} />;
    case "tool":
      return <Tool step={item} />;
  }
}

function Refusal({ run }: { readonly run: Run }) {
  const error = run.error.value;
  if (error === undefined || error === "") return null;
  const status = run.refusedWith.value;
  return (
    <Callout tone={run.state.value === "lost" ? "warn" : "bad"} live="alert">
      <b>{status === undefined ? turnText.failed : turnText.refused(status)}</b>
      <p class="soft caller-text">
        <bdi>{error}</bdi>
      </p>
    </Callout>
  );
}

/** A link to the receipt for managers; its id for the holders of keys, whose console has no list of requests. */
function Receipt({ id }: { readonly id: string }) {
  if (!app.session.isManager.value) return <Id id={id} />;
  return <a href={app.router.link("/requests", { receipt: id, workspace: undefined })}>{turnText.receipt}</a>;
}

function Figure({ children }: { readonly children: ComponentChildren }) {
  return <span>{children}</span>;
}

/** While it comes: about what it costs so far. */
function SoFar({ run }: { readonly run: Run }) {
  const { tokens, usd } = run.soFar.value;
  const { firstMs, totalMs } = run.figures.value;
  if (run.state.value === "waiting") return null;
  const seconds = ((totalMs ?? 0) - (firstMs ?? 0)) / 1_000;
  return (
    <>
      {usd !== undefined && <Figure>{turnText.soFar(formatUsd(usd, 4))}</Figure>}
      <Figure>{turnText.tokensSoFar(tokens)}</Figure>
      {seconds > 0.5 && <Figure>{turnText.speed(formatCount(Math.round(tokens / seconds)))}</Figure>}
      {firstMs !== undefined && (
        <Figure>
          {turnText.first} <b>{formatMs(firstMs)}</b>
        </Figure>
      )}
    </>
  );
}

function Total({ run }: { readonly run: Run }) {
  const { cost, inputTokens, outputTokens, firstMs, totalMs } = run.figures.value;
  const { state: { value: state }, generationId: { value: id } } = run;
  const isCharged = cost !== undefined && (state === "stopped" || state === "lost");
  return (
    <>
      {cost !== undefined && (
        <Figure>
          <b>{isCharged ? turnText.charged(formatUsd(cost, 4)) : formatUsd(cost, 4)}</b>
        </Figure>
      )}
      {inputTokens !== undefined && outputTokens !== undefined && (
        <Figure>{turnText.tokens(formatCount(inputTokens), formatCount(outputTokens))}</Figure>
      )}
      {firstMs !== undefined && (
        <Figure>
          {turnText.first} <b>{formatMs(firstMs)}</b>
        </Figure>
      )}
      {totalMs !== undefined && (
        <Figure>
          {turnText.total} <b>{formatMs(totalMs)}</b>
        </Figure>
      )}
      {id !== undefined && <Receipt id={id} />}
    </>
  );
}

export function MeterLine({ run }: { readonly run: Run }) {
  const isOver = run.isOver.value;
  return (
    <div class="meterline" role={isOver ? "status" : undefined}>
      {isOver ? <Total run={run} /> : <SoFar run={run} />}
    </div>
  );
}

export function AnswerHead({ run }: { readonly run: Run }) {
  const { model = run.model, provider } = run.served.value;
  return (
    <>
      <span class="cut" title={model}>{shortModel(model)}</span>
      {provider !== undefined && (
        <span class="badge" title={provider}>
          <bdi class="cut">{turnText.through(provider)}</bdi>
        </span>
      )}
      <RunStatus run={run} />
    </>
  );
}

export function AnswerBody({ run }: { readonly run: Run }) {
  const items = run.items.value;
  return (
    <>
      {items.map((item, at) => <Item key={at} item={item} isLast={at === items.length - 1} run={run} />)}
      {run.notes.value.map((note) => (
        <Callout key={note} tone="plain" icon="alert">
          <bdi>{note}</bdi>
        </Callout>
      ))}
      <Refusal run={run} />
    </>
  );
}

export function Answer({ run }: { readonly run: Run }) {
  return (
    <article
      class="turn turn-model"
      aria-label={turnText.answerOf(shortModel(run.model))}
      aria-busy={!run.isOver.value}
    >
      <div class="turn-who">
        <AnswerHead run={run} />
      </div>
      <AnswerBody run={run} />
      <MeterLine run={run} />
    </article>
  );
}
