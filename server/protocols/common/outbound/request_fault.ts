/**
 * Reads what providers say about a request that they do not take, whatever wire it came over: too long for
 * them, against their rules, with something in it that they cannot read. Hosts and proxies say the same on
 * every wire, so the words stand here once.
 */

import type { ApiErrorKind } from "../../../../shared/errors.ts";
import { saysTrouble } from "./status_first.ts";

export interface RequestFault {
  readonly kind: ApiErrorKind;
  /** Another endpoint might take the same request. The kind alone may say so too (`apiErrorKinds`). */
  readonly endpointSpecific: boolean;
}

/** Number of a message's first characters that are read. The rest may quote the caller at any length. */
const READ_CHARS = 2_000;

const anyOf = (...words: readonly string[]) => new RegExp(words.join("|"), "i");

const tooLong = anyOf(
  "context[ _-]?(?:length|window|size|limit)",
  "(?:prompt|input|request|messages?|conversation) (?:(?:is|are) )?too long",
  "too large for (?:the )?model",
  "longer than the (?:maximum|model)",
  "maximum (?:allowed )?(?:model|prompt|input|sequence|message) length",
  "(?:prompt|inputs?|messages?)[^.]{0,20}\\b(?:tokens?|length)\\b[^.]{0,40}\\bexceed",
  "(?:prompt|inputs?) exceeds? (?:the )?max",
  "exceed(?:s|ed)? (?:the |its )?(?:model'?s? )?(?:max(?:imum)?|available|configured) (?:context|token|number of tokens|message tokens)",
  "exceed(?:s|ed)? (?:the )?model token limit",
  "tokens? exceeds? (?:the )?(?:limit|maximum)",
  "token limit exceeded",
  "too many (?:input |prompt |total )?tokens",
  "reduce (?:the length|your prompt)",
  "range of input length",
  "inputs`? (?:tokens \\+|must have less than)",
  "(?:prompt|input)_tokens_exceeded",
  "string_above_max_length",
  "prompt ?超长",
);

/** A limit of so many tokens a minute passes by itself; it says nothing of the request. */
const throttled = /please wait|per (?:second|minute|hour|day)\b|rate[ _]limit|throttl|quota/i;

const moderated = anyOf(
  "content[_ -]?(?:policy|filter|management|moderation|safety|exists risk)",
  "blocked by (?:content|our|the|a)\\b[^.]{0,30}(?:filter|guardrail|polic|moderation)",
  "safety (?:system|check|filter|polic)",
  "safety_check",
  "responsible ?ai",
  "(?:was|been|is|were) flagged\\b",
  "requires moderation",
  "usage (?:polic|guideline)",
  "data_?inspection_?failed",
  "inappropriate content",
  "considered high risk",
  "new_sensitive",
  "sensitive[ _]?(?:content|information)",
  "prohibited[ _]content",
  "content filter|guardrail",
  "敏感内容",
);

const mediaWord = "(?:image|vision|audio|video|file|document|pdf)s?";

/** The model has no eyes or ears, or takes fewer pieces: another may. Not so a form that no model reads. */
const otherMedia = anyOf(
  "(?:not|n't)[^.]{0,30}multi-?modal",
  "multi-?modal[^.]{0,30}(?:not|n't|unsupported)",
  `support (?:the )?${mediaWord}(?! (?:format|type|media))`,
  `${mediaWord}(?:[ _](?:input|content|modality|understanding|type|url|block|part)s?){0,3} (?:is|are)(?:n't| not) (?:supported|enabled|allowed|available)`,
  `unsupported ${mediaWord} (?:input|content|modality)`,
  "(?:unknown variant|invalid content type)[^.]{0,20}image_url",
  "image_url[^.]{0,30}only supported",
  "at most \\d+ (?:image|video|audio)",
  "content must be a string",
  "mmproj|missing data required for image",
  "(?:unsupported|input)[_ ]modalit",
  "(?:supports? only text|only supports? text|text input only)",
);

/** A form, a size or an address of a picture that this host does not take: hosts differ in them. */
const otherImage = anyOf(
  "unsupported[_ ](?:base64[_ ]|input[_ ])?image",
  "invalid[_ ]image[_ ](?:format|mode|url)",
  "image[_ ](?:file[_ ])?(?:too|exceeds|dimensions|format|media|url|download)",
  "support (?:the )?image (?:format|type|media)",
  "(?:download|fetch)[_ ](?:the[_ ]|input[_ ])?image",
  "unable to download",
);

/** A picture that nobody can read. */
const badImage = anyOf(
  "(?:invalid|bad|corrupt(?:ed)?|empty)[_ ](?:base64[_ ]|input[_ ])?image",
  "image[_ ](?:parse|file|content|is not valid)",
  "(?:process|decode|read|load|open|sanitize)[_ ](?:the[_ ]|input[_ ])?image",
  "invalid base64|base64[^.]{0,40}(?:invalid|not valid|decode)",
);

/** A parameter, a value or a tool that this model or this deployment does not take. */
const unsupported = anyOf(
  "unsupported",
  "not supported",
  "(?:not|n't) support\\b",
  "only supported",
  "unrecognized",
  "unknown[_ ](?:name|parameter|argument|field|variant)",
  "cannot find field",
  "extra (?:fields|inputs)",
  "not permitted",
  "not enabled",
  "not available",
  "unexpected value",
  "on-demand throughput",
  "missing a thought_signature",
);

type FaultWords = readonly (readonly [RegExp, RequestFault])[];

/** Words that speak of the request whatever the status is. The first match counts. */
const clearFaults: FaultWords = [
  [moderated, { kind: "content_policy", endpointSpecific: true }],
  [otherMedia, { kind: "invalid_request", endpointSpecific: true }],
];

const otherImageFault: RequestFault = { kind: "invalid_image", endpointSpecific: true };

/** Words that a failed server may also say of itself. They count where the request is blamed already. */
const faults: FaultWords = [
  ...clearFaults,
  [otherImage, otherImageFault],
  [badImage, { kind: "invalid_image", endpointSpecific: false }],
  [unsupported, { kind: "invalid_request", endpointSpecific: true }],
];

/** Whether a provider refuses the contents: with 403 too, where others speak of the account. */
export const isModerated = (text: string): boolean => moderated.test(text.slice(0, READ_CHARS));

const tooLongFault: RequestFault = { kind: "context_length", endpointSpecific: true };

function isTooLong(text: string): boolean {
  const read = text.slice(0, READ_CHARS);
  return tooLong.test(read) && !throttled.test(read);
}

/** Fault that the words find in the request; undefined where they name none that is known. */
function findRequestFault(text: string, kind: ApiErrorKind): RequestFault | undefined {
  const read = text.slice(0, READ_CHARS);
  if (isTooLong(read)) return tooLongFault;
  return (kind === "invalid_request" ? faults : clearFaults).find(([words]) => words.test(read))?.[1];
}

interface ErrorInWords {
  /** Absent inside of a stream. */
  readonly status?: number;
  /** By the status and the provider's own word. */
  readonly kind: ApiErrorKind;
  /** The provider's own words for the error: its code and its type. */
  readonly word?: string;
  readonly message: string;
}

/** Kinds that say no more than that the request, or something, was wrong. */
const vague: readonly ApiErrorKind[] = ["invalid_request", "upstream_failed"];
/** Statuses with which servers tell of the request: some answer 500 to what they cannot read. */
const aboutRequest: readonly (number | undefined)[] = [400, 403, 422, 500, undefined];

/** Too much for this endpoint, against its rules, or not there: the next one may be another case. */
const ofEndpoint: readonly ApiErrorKind[] = ["content_policy", "context_length", "not_found", "too_large"];

/**
 * The kind made more exact by the words. Of a server that failed only the message counts: its word for the error says
 * less than its status.
 */
export function refineKind({ status, kind, word = "", message }: ErrorInWords): RequestFault {
  const text = saysTrouble(status) ? message : `${word} ${message}`;
  if ((kind === "not_found" || kind === "too_large") && isTooLong(text)) return tooLongFault;
  if (kind === "invalid_image" && otherImage.test(text.slice(0, READ_CHARS))) return otherImageFault;
  const fault = vague.includes(kind) && aboutRequest.includes(status)
    ? findRequestFault(text, kind)
    : undefined;
  return fault ?? { kind, endpointSpecific: ofEndpoint.includes(kind) };
}
