/** Parts of an answer as they are shown: texts, reasoning, steps of tools, pictures. */

import { type Signal, signal } from "@preact/signals";
import { type Json, listOf, objectOf, parseJson, textOf, textsOf } from "./json.ts";
import { type Citation, citationsOf, markCitations } from "./text/citations.ts";
import { StreamedText } from "./text/streamed_text.ts";

/** A file that a tool has made. */
export interface ToolFile {
  readonly containerId: string;
  readonly fileId: string;
  readonly filename: string;
}

export interface MessageItem {
  readonly type: "message";
  readonly text: StreamedText;
  readonly citations: Signal<readonly Citation[]>;
  readonly files: Signal<readonly ToolFile[]>;
}

export interface ReasoningItem {
  readonly type: "reasoning";
  readonly text: StreamedText;
  /** Milliseconds; undefined while it goes on, and where nobody has measured it. */
  readonly ms: Signal<number | undefined>;
}

export interface ToolStep {
  readonly type: "tool";
  readonly callId: string | undefined;
  readonly name: string;
  readonly input: Signal<string>;
  readonly output: Signal<string>;
  readonly state: Signal<"running" | "completed" | "failed">;
  readonly ms: Signal<number | undefined>;
  readonly files: Signal<readonly ToolFile[]>;
  /** Data URLs. */
  readonly images: Signal<readonly string[]>;
}

export type RunItem = MessageItem | ReasoningItem | ToolStep;

/** `service:web_search` and `web_search_call` as `web search`. */
function toolName(item: Json): string {
  const type = textOf(item, "type") ?? "";
  if (type === "function_call" || type === "custom_tool_call") return textOf(item, "name") ?? type;
  if (type.startsWith("mcp")) return textOf(item, "name") ?? textOf(item, "toolName") ?? "mcp";
  return type.replace(/^\w+:/, "").replace(/_call$/, "").replaceAll("_", " ");
}

/** Fields of an item that say what a tool was given. */
const inputFields = [
  ...["arguments", "input", "code", "command", "action", "query", "queries", "prompt", "url", "operation"],
  ...["task_description", "pattern", "key"],
] as const;
const inputNames: ReadonlySet<string> = new Set(inputFields);
/** Fields that are neither input nor output, or are shown otherwise. */
const ownFields: ReadonlySet<string> = new Set([
  ...[
    "id",
    "type",
    "status",
    "call_id",
    "name",
    "namespace",
    "files",
    "container_id",
    "toolName",
    "serverLabel",
  ],
  ...["imageB64", "imageUrl", "revisedPrompt", "screenshotB64", "encrypted_content", "signature"],
]);

/** A single text as it is, everything else as JSON with line ends. */
function render(fields: readonly (readonly [string, unknown])[]): string {
  const [first, ...others] = fields;
  if (first === undefined) return "";
  if (others.length > 0) return JSON.stringify(Object.fromEntries(fields), null, 2);
  const [, value] = first;
  if (typeof value !== "string") return JSON.stringify(value, null, 2);
  const parsed = parseJson(value);
  return typeof parsed === "object" && parsed !== null ? JSON.stringify(parsed, null, 2) : value;
}

const isSaid = ([, value]: readonly [string, unknown]): boolean =>
  value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);

const fieldsOf = (item: Json, isShown: (name: string) => boolean) =>
  Object.entries(item).filter((field) => isSaid(field) && isShown(field[0]));

/** Outputs that are long texts of their own. */
function outputText(item: Json): string {
  const logs = listOf(item, "outputs").flatMap((one) => textOf(one, "logs") ?? []);
  const streams = listOf(item, "output").flatMap((one) =>
    [textOf(one, "stdout"), textOf(one, "stderr"), textOf(one, "text")].filter((text) => text)
  );
  const texts = [...logs, ...streams];
  if (texts.length > 0) return texts.join("\n");
  const isPicture = imagesOf(item).length > 0;
  return render(
    fieldsOf(item, (name) => {
      return !inputNames.has(name) && !ownFields.has(name) && !(isPicture && name === "result");
    }),
  );
}

const signatures = [["iVBOR", "png"], ["/9j/", "jpeg"], ["UklGR", "webp"], ["R0lGOD", "gif"]] as const;

/** A picture as a data URL; undefined for what is none. Addresses elsewhere are never asked. */
function toPicture(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(text)) return text;
  const [, type] = signatures.find(([start]) => text.startsWith(start)) ?? [];
  return type !== undefined && /^[A-Za-z0-9+/=]+$/.test(text)
    ? `data:image/${type};base64,${text}`
    : undefined;
}

function imagesOf(item: Json): readonly string[] {
  const texts = [
    ...["result", "imageB64", "imageUrl", "screenshotB64"].map((name) => textOf(item, name)),
    ...listOf(item, "outputs").map((one) => textOf(one, "url")),
  ];
  return [...new Set(texts.flatMap((text) => toPicture(text) ?? []))];
}

const toFile = (one: Json): readonly ToolFile[] => {
  const [containerId, fileId, filename] = ["container_id", "file_id", "filename"].map((name) =>
    textOf(one, name)
  );
  return containerId === undefined || fileId === undefined
    ? []
    : [{ containerId, fileId, filename: filename ?? fileId }];
};

/** An item as it stands when it begins. */
export function beginItem(item: Json): RunItem {
  switch (textOf(item, "type")) {
    case "message":
      return { type: "message", text: new StreamedText(), citations: signal([]), files: signal([]) };
    case "reasoning":
      return { type: "reasoning", text: new StreamedText(), ms: signal(undefined) };
  }
  const step: ToolStep = {
    type: "tool",
    callId: textOf(item, "call_id"),
    name: toolName(item),
    input: signal(""),
    output: signal(""),
    state: signal("running"),
    ms: signal(undefined),
    files: signal([]),
    images: signal([]),
  };
  updateStep(step, item);
  return step;
}

function updateStep(step: ToolStep, item: Json): void {
  step.input.value = render(fieldsOf(item, (name) => inputNames.has(name))) || step.input.value;
  step.output.value = outputText(item) || step.output.value;
  step.files.value = listOf(item, "files").flatMap(toFile);
  const images = imagesOf(item);
  if (images.length > 0) step.images.value = images;
}

/** A file of a container is no source: it is one that the answer gives. */
const isSource = (annotation: Json): boolean => textOf(annotation, "container_id") === undefined;

/** Text of a message, and the sources that it names. */
function messageText(item: Json) {
  const parts = listOf(item, "content");
  const annotations = parts.flatMap((part) => listOf(part, "annotations"));
  const sources = annotations.filter(isSource);
  const text = parts.map((part) => {
    const own = listOf(part, "annotations").filter(isSource);
    return markCitations(textOf(part, "text") ?? textOf(part, "refusal") ?? "", { own, sources });
  }).join("\n\n");
  return { text, sources, files: annotations.flatMap(toFile) };
}

function reasoningText(item: Json): string {
  const texts = (name: string) => listOf(item, name).flatMap((part) => textOf(part, "text") ?? []);
  const summary = texts("summary");
  return (summary.length > 0 ? summary : texts("content")).join("\n\n");
}

/** An item as it stands when it is complete. */
export function endItem(shown: RunItem, item: Json): void {
  switch (shown.type) {
    case "message": {
      const { text, sources, files } = messageText(item);
      shown.text.finish(text);
      // What names nothing is not drawn anew.
      if (sources.length > 0) shown.citations.value = citationsOf(sources);
      if (files.length > 0) shown.files.value = files;
      return;
    }
    case "reasoning": {
      const text = reasoningText(item);
      shown.text.finish(text === "" ? undefined : text);
      return;
    }
    case "tool":
      updateStep(shown, item);
      shown.state.value = isFailed(item) ? "failed" : "completed";
  }
}

const isFailed = (item: Json): boolean =>
  textOf(item, "status") === "failed" || (textOf(item, "error") ?? "") !== "";

/** The call that an item is the output of, where it is one. */
export const outputOf = (item: Json): string | undefined =>
  /_output$/.test(textOf(item, "type") ?? "") ? textOf(item, "call_id") : undefined;

/** The output of a call that came as an item of its own. */
export function addOutput(step: ToolStep, item: Json): void {
  const text = outputText(item) || textsOf(item, "output").join("\n") ||
    textOf(objectOf(item, "output"), "text");
  if (text) step.output.value = text;
  if (isFailed(item)) step.state.value = "failed";
}

/** The items of an answer that is over. */
export function itemsOf(output: readonly Json[]): readonly RunItem[] {
  const shown: RunItem[] = [];
  for (const item of output) {
    const call = outputOf(item);
    const step = shown.find((one) => one.type === "tool" && one.callId === call && call !== undefined);
    if (step?.type === "tool") {
      addOutput(step, item);
      continue;
    }
    const begun = beginItem(item);
    endItem(begun, item);
    shown.push(begun);
  }
  return shown;
}
