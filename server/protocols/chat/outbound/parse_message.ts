/** Text, refusals, citations and pictures → the message item and image items. */

import type { TextEvent } from "../../../canonical/event.ts";
import type { Annotation, ForeignItem, Logprob } from "../../../canonical/item.ts";
import { closeOthers } from "./parse_item_end.ts";
import type { ChatAnnotation, ChatLogprob, Choice, Delta } from "./response_schema.ts";
import { type ChatState, inTurn, type OpenMessage, type Step } from "./parse_state.ts";

/** Reads what a piece says to the user. Logprobs belong to the text that comes with them. */
export function stepMessage(state: ChatState, choice: Choice): Step {
  const { delta, logprobs } = choice;
  if (!delta) return [state, []];
  const { refusal, annotations, images } = delta;
  const text = contentOf(delta);
  const steps: ((now: ChatState) => Step)[] = [];
  if (text !== "") steps.push((now) => speak(now, { type: "text", text, logprobs: logprobs?.content }));
  if (refusal) {
    steps.push((now) => speak(now, { type: "refusal", text: refusal, logprobs: logprobs?.refusal }));
  }
  if (annotations) steps.push((now) => cite(now, delta));
  if (images) steps.push((now) => showImages(now, delta));
  return inTurn(state, steps);
}

function contentOf({ content }: Delta): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ type, text }) => type === "text" ? text ?? "" : "").join("");
}

interface Speech {
  readonly type: "text" | "refusal";
  readonly text: string;
  readonly logprobs?: readonly ChatLogprob[] | null;
}

function speak(state: ChatState, speech: Speech): Step {
  return inTurn(state, [openMessage, (now) => growMessage(now, speech), tellCitations]);
}

function openMessage(state: ChatState): Step {
  if (state.open?.type === "message") return [state, []];
  return inTurn(state, [closeOthers, (now) => {
    const open: OpenMessage = { type: "message", at: now.items, part: -1, cited: [] };
    const item = { type: "message", role: "assistant", parts: [] } as const;
    return [{ ...now, open, items: now.items + 1 }, [{ type: "item", at: open.at, item }]];
  }]);
}

/** Text and refusal are parts of their own; going back to one of them begins a new part. */
function growMessage(state: ChatState, { type, text, logprobs }: Speech): Step {
  const { open } = state;
  if (open?.type !== "message") return [state, []];
  const part = open.speaking === type ? open.part : open.part + 1;
  const event: TextEvent = {
    type,
    at: open.at,
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
function cite(state: ChatState, { annotations }: Delta): Step {
  const cited = (annotations ?? []).flatMap((annotation) =>
    annotation === null ? [] : [annotationOf(annotation)]
  );
  if (cited.length === 0) return [state, []];
  if (state.open?.type === "message") {
    return tellCitations({ ...state, open: { ...state.open, cited: [...state.open.cited, ...cited] } });
  }
  if (state.calls.length > 0) return [state, []];
  return inTurn(state, [openMessage, (now) => cite(now, { annotations })]);
}

function tellCitations(state: ChatState): Step {
  const { open } = state;
  if (open?.type !== "message" || open.speaking !== "text" || open.cited.length === 0) return [state, []];
  const { at, part } = open;
  const events = open.cited.map((annotation) => ({ type: "annotation" as const, at, part, annotation }));
  return [{ ...state, open: { ...open, cited: [] } }, events];
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
 * Pictures come whole, as data URLs. The hub has no word for a picture that a model put out, so it is told in
 * the words of the Responses wire, which does; a picture that is only linked to cannot be.
 */
function showImages(state: ChatState, { images }: Delta): Step {
  const shown = (images ?? []).flatMap((image) => pictureOf(image?.image_url.url ?? ""));
  return inTurn(state, shown.map((picture) => (now) => showImage(now, picture)));
}

interface Picture {
  readonly format: string;
  readonly base64: string;
}

function pictureOf(url: string): readonly Picture[] {
  const [head = "", base64 = ""] = url.split(",", 2);
  const format = /^data:image\/([a-z0-9.+-]+);base64$/i.exec(head)?.[1];
  return format === undefined || base64 === "" ? [] : [{ format, base64 }];
}

function showImage(state: ChatState, { format, base64 }: Picture): Step {
  const value = { type: "image_generation_call", output_format: format };
  const item = { type: "foreign", wire: "responses", kind: "image_generation_call" } as const;
  const opened: ForeignItem = { ...item, value: { ...value, status: "in_progress", result: null } };
  const whole: ForeignItem = { ...item, value: { ...value, status: "completed", result: base64 } };
  return inTurn(state, [closeOthers, (now) => [{ ...now, items: now.items + 1 }, [
    { type: "item", at: now.items, item: opened },
    { type: "item_done", at: now.items, item: whole },
  ]]]);
}
