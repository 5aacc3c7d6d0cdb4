/** Steps of an answer: reasoning, and calls of tools with input and output. */

import type { ComponentChildren } from "preact";
import { app } from "../../app.ts";
import { Icon, type IconName } from "../../components/icon.tsx";
import { formatMs } from "../../format.ts";
import { containerContentAddress } from "../../models/containers.ts";
import type { ReasoningItem, ToolFile, ToolStep } from "../../models/playground/items.ts";
import { turnText } from "../../text/playground.ts";
import { Prose } from "./prose.tsx";

const none = [] as const;

function Step({ icon, name, note, open, children }: {
  readonly icon: IconName;
  readonly name: string;
  readonly note: string;
  readonly open?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <details class="step" open={open}>
      <summary>
        <svg class="icon turn-arrow" viewBox="0 0 16 16" aria-hidden="true">
          <path d="m6 4 4 4-4 4" />
        </svg>
        <Icon name={icon} />
        <span class="cut" title={name}>
          <bdi>{name}</bdi>
        </span>
        <span class="push faint">{note}</span>
      </summary>
      <div class="step-body">{children}</div>
    </details>
  );
}

export function Reasoning({ item, isLive }: { readonly item: ReasoningItem; readonly isLive: boolean }) {
  const ms = item.ms.value;
  const isGrowing = isLive && ms === undefined;
  return (
    <Step icon="model" name={turnText.reasoning} note={ms === undefined ? "" : formatMs(ms)}>
      <div class="soft">
        <Prose text={item.text} citations={none} isLive={isGrowing} />
      </div>
    </Step>
  );
}

const icons: readonly (readonly [RegExp, IconName])[] = [
  [/search|fetch/, "search"],
  [/image/, "image"],
  [/file/, "file"],
  [/datetime/, "clock"],
];

const iconOf = (name: string): IconName => icons.find(([pattern]) => pattern.test(name))?.[1] ?? "tool";

const sentence = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/** The beginning of what a tool was given, in one line. */
function shortInput(input: string): string {
  const line = input.replaceAll(/[{}"]/g, "").replaceAll(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

/** Characters of an input or an output that are shown. */
const MOST_STEP_CHARS = 50_000;

function Text({ name, text }: { readonly name: string; readonly text: string }) {
  const rest = text.length - MOST_STEP_CHARS;
  return (
    <div>
      <p class="small faint">{name}</p>
      <pre
        class="step-text"
        tabIndex={0}
        role="region"
        aria-label={name}
      >{text.slice(0, MOST_STEP_CHARS)}</pre>
      {rest > 0 && <p class="small faint">{turnText.moreCharacters(rest)}</p>}
    </div>
  );
}

/** Files of a container; managers may take them. */
export function Files({ files }: { readonly files: readonly ToolFile[] }) {
  if (files.length === 0) return null;
  const isManager = app.session.isManager.value;
  return (
    <ul class="row row-wrap small" aria-label={turnText.files}>
      {files.map(({ containerId, fileId, filename }) => (
        <li key={fileId} class="row">
          <Icon name="file" />
          {isManager
            ? (
              <a
                href={containerContentAddress({ container_id: containerId, id: fileId })}
                download={filename}
              >
                {filename}
              </a>
            )
            : <bdi>{filename}</bdi>}
        </li>
      ))}
    </ul>
  );
}

export function Tool({ step }: { readonly step: ToolStep }) {
  const [input, output, state, ms] = [step.input.value, step.output.value, step.state.value, step.ms.value];
  const short = shortInput(input);
  const time = ms === undefined ? "" : formatMs(ms);
  const note = [turnText.toolStates[state], time].filter((one) => one !== "").join(", ");
  return (
    <>
      <Step
        icon={iconOf(step.name)}
        name={short === "" ? sentence(step.name) : `${sentence(step.name)}: ${short}`}
        note={note}
      >
        {input !== "" && <Text name={turnText.input} text={input} />}
        {output !== "" && <Text name={turnText.output} text={output} />}
        {output === "" && state !== "running" && step.images.value.length === 0 && (
          <p class="soft">{turnText.noOutput}</p>
        )}
        <Files files={step.files.value} />
      </Step>
      {step.images.value.map((url, at) => (
        <img key={at} class="prose-image" src={url} alt={turnText.picture(step.name)} />
      ))}
    </>
  );
}
