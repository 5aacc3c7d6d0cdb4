/** Text, refusals, citations and images → the message item and image items. */

import type { TextEvent } from "../../../canonical/event.ts";
import type { Annotation, Logprob, PassthroughItem } from "../../../canonical/item.ts";
import { closeOtherItems } from "./parse_item_end.ts";
import type { ChatAnnotation, ChatChoice, ChatDelta, ChatLogprob } from "../response_schema.ts";
import type { ChatState, OpenMessage, ParseStep } from "./parse_state.ts";
import { runSteps } from "../../../stream/state_machine.ts";

/** Reads what a chunk says to the user. Logprobs belong to the text that comes with them. */
export function stepMessage(state: ChatState, choice: ChatChoice): ParseStep {
  const { delta, logprobs } = choice;
  if (!delta) return [state, []];
  const { refusal, annotations, images } = delta;
  const text = contentOf(delta);
  const steps: ((now: ChatState) => ParseStep)[] = [];
  if (text !== "") {
    steps.push((now) => appendMessageText(now, { type: "text", text, logprobs: logprobs?.content }));
  }
  if (refusal) {
    steps.push((now) =>
      appendMessageText(now, { type: "refusal", text: refusal, logprobs: logprobs?.refusal })
    );
  }
  if (annotations) steps.push((now) => addCitation(now, delta));
  if (images) steps.push((now) => showImages(now, delta));
  return runSteps(state, steps);
}

function contentOf({ content }: ChatDelta): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ type, text }) => type === "text" ? text ?? "" : "").join("");
}

interface MessageText {
  readonly type: "text" | "refusal";
  readonly text: string;
  readonly logprobs?: readonly ChatLogprob[] | null;
}

function appendMessageText(state: ChatState, speech: MessageText): ParseStep {
  return runSteps(state, [openMessage, (now) => growMessage(now, speech), emitCitations]);
}

function openMessage(state: ChatState): ParseStep {
  if (state.open?.type === "message") return [state, []];
  return runSteps(state, [closeOtherItems, (now) => {
    const open: OpenMessage = { type: "message", at: now.items, part: -1, citations: [] };
    const item = { type: "message", role: "assistant", parts: [] } as const;
    return [{ ...now, open, items: now.items + 1 }, [{ type: "item", itemKey: open.at, item }]];
  }]);
}

/** Text and refusal are parts of their own; going back to one of them begins a new part. */
function growMessage(state: ChatState, { type, text, logprobs }: MessageText): ParseStep {
  const { open } = state;
  if (open?.type !== "message") return [state, []];
  const part = open.speaking === type ? open.part : open.part + 1;
  const event: TextEvent = {
    type,
    itemKey: open.at,
    part,
    delta: text,
    ...(logprobs ? { logprobs: logprobs.map(logprobOf) } : {}),
  };
  return [{ ...state, open: { ...open, part, speaking: type } }, [event]];
}

function logprobOf({ top_logprobs, ...own }: ChatLogprob): Logprob {
  return { ...tokenOf(own), ...(top_logprobs ? { top_logprobs: top_logprobs.map(tokenOf) } : {}) };
}

function tokenOf({ token, logprob, bytes }: Omit<ChatLogprob, "top_logprobs">): Logprob {
  return { token, logprob, ...(bytes ? { bytes } : {}) };
}

/** Citations that come without a message or before its text wait for it; those after it is closed are late. */
function addCitation(state: ChatState, { annotations }: ChatDelta): ParseStep {
  const cited = (annotations ?? []).flatMap((annotation) =>
    annotation === null ? [] : [annotationOf(annotation)]
  );
  if (cited.length === 0) return [state, []];
  if (state.open?.type === "message") {
    return emitCitations({
      ...state,
      open: { ...state.open, citations: [...state.open.citations, ...cited] },
    });
  }
  if (state.calls.length > 0) return [state, []];
  return runSteps(state, [openMessage, (now) => addCitation(now, { annotations })]);
}

function emitCitations(state: ChatState): ParseStep {
  const { open } = state;
  if (open?.type !== "message" || open.speaking !== "text" || open.citations.length === 0) return [state, []];
  const { at, part } = open;
  const events = open.citations.map((annotation) => ({
    type: "annotation" as const,
    itemKey: at,
    part,
    annotation,
  }));
  return [{ ...state, open: { ...open, citations: [] } }, events];
}

function annotationOf({ url_citation: cited }: ChatAnnotation): Annotation {
  return {
    type: "url_citation",
    url: cited.url,
    title: cited.title ?? "",
    start_index: cited.start_index ?? 0,
    end_index: cited.end_index ?? 0,
    ...(cited.content ? { content: cited.content } : {}),
  };
}

/**
 * Images come whole, as data URLs. The canonical model has no word for an image that a model put out, so it is
 * reported in the words of the Responses wire, which does; an image that is only linked to cannot be.
 */
function showImages(state: ChatState, { images }: ChatDelta): ParseStep {
  const shown = (images ?? []).flatMap((image) => readImage(image?.image_url.url ?? ""));
  return runSteps(state, shown.map((image) => (now) => emitImage(now, image)));
}

interface GeneratedImage {
  readonly format: string;
  readonly base64: string;
}

function readImage(url: string): readonly GeneratedImage[] {
  const [head = "", base64 = ""] = url.split(",", 2);
  const format = /^data:image\/([a-z0-9.+-]+);base64$/i.exec(head)?.[1];
  return format === undefined || base64 === "" ? [] : [{ format, base64 }];
}

function emitImage(state: ChatState, { format, base64 }: GeneratedImage): ParseStep {
  const value = { type: "image_generation_call", output_format: format };
  const item = { type: "foreign", wire: "responses", kind: "image_generation_call" } as const;
  const opened: PassthroughItem = { ...item, value: { ...value, status: "in_progress", result: null } };
  const whole: PassthroughItem = { ...item, value: { ...value, status: "completed", result: base64 } };
  return runSteps(state, [closeOtherItems, (now) => [{ ...now, items: now.items + 1 }, [
    { type: "item", itemKey: now.items, item: opened },
    { type: "item_done", itemKey: now.items, item: whole },
  ]]]);
}
