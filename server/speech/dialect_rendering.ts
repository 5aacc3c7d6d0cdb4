/** Rendering that the dialects of speech have in common: voices, speeds, and the endpoint's own spelling. */

import { ApiError } from "../../shared/errors.ts";
import { omitUndefined } from "../../shared/util/json.ts";
import type { Failure } from "../protocols/canonical/event.ts";
import type { JsonObject } from "../protocols/canonical/item.ts";
import type {
  SpeechEndpoint,
  SpeechRequestPart,
  SpeechResponseFormat,
  SpeechResponseHead,
} from "./dialect.ts";

/** Makes the error for a parameter that this provider does not take: another one may. */
export function unsupportedByProvider(path: string, complaint: string): ApiError {
  return new ApiError("invalid_request", `${path} ${complaint}`, { metadata: { path } });
}

/** The voice by its name at a provider that neither clones nor has a usual one. */
export function requireNamedVoice({ voice, reference }: SpeechRequestPart): string {
  if (reference !== undefined) {
    throw unsupportedByProvider("input_references", "is not taken by this provider");
  }
  if (voice === undefined) throw unsupportedByProvider("voice", "is missing; this model has no usual one");
  if (!voice.isWellFormed()) throw unsupportedByProvider("voice", "holds half of a character");
  return voice;
}

/** Multipliers that a provider takes. */
interface SpeedRange {
  readonly min: number;
  readonly max: number;
}

interface ClampedSpeed {
  readonly speed?: number;
  /** Parts of the requested speed that could not be sent. */
  readonly dropped: readonly string[];
}

/** The nearest speed that the provider has: one beyond its range would be an error there. */
export function clampSpeed(speed: number | undefined, { min, max }: SpeedRange): ClampedSpeed {
  if (speed === undefined) return { dropped: [] };
  const fitted = Math.min(Math.max(speed, min), max);
  return { speed: fitted, dropped: fitted === speed ? [] : [`speed ${speed} (spoken at ${fitted})`] };
}

/** Reports instructions for a provider that cannot be told how a text is to be spoken. */
export const unsupportedInstructions = ({ instructions }: SpeechRequestPart): readonly string[] =>
  instructions === undefined ? [] : ["instructions"];

interface MergedBody {
  readonly value: JsonObject;
  readonly dropped: readonly string[];
}

interface MergeBodyInput {
  /** Fields that were checked and that money was reserved for: callers cannot name another model or another text. */
  readonly fixed: JsonObject;
  readonly options: JsonObject;
  readonly endpoint: SpeechEndpoint;
}

/** Our keys, those of the caller above them, those of the endpoint's row above all, less those that it refuses. */
export function mergeBody(ours: JsonObject, { fixed, options, endpoint }: MergeBodyInput): MergedBody {
  const requested = omitUndefined({ ...ours, ...options, ...fixed, ...endpoint.extraBody });
  const kept = Object.entries(requested).filter(([key]) => !endpoint.omit.includes(key));
  const overruled = Object.keys(options).filter((key) => Object.hasOwn(fixed, key));
  return {
    value: Object.fromEntries(kept),
    dropped: [...overruled, ...Object.keys(requested).filter((key) => endpoint.omit.includes(key))],
  };
}

/** A query of the entries that are words, numbers or switches, or lists of them. */
export function renderQuery(entries: JsonObject): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(entries)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      if (typeof one === "object") {
        throw unsupportedByProvider(
          `provider.options.*.${name}`,
          "is an object; a word or a number is expected",
        );
      }
      query.append(name, String(one));
    }
  }
  return query.toString();
}

/** An error or a page with a status of 200 is no sound, whatever was asked for. */
export function audioUnlessText(
  { contentType }: SpeechResponseHead,
  { sound, failureOf }: {
    readonly sound: SpeechResponseFormat & { readonly type: "sound" };
    readonly failureOf: (body: string) => Failure;
  },
): SpeechResponseFormat {
  if (!/^(application\/(problem\+)?json|text\/)/i.test(contentType)) return sound;
  const read = (data: string) => ({ failure: { ...failureOf(data), kind: "upstream_failed" as const } });
  return { type: "frames", framing: "whole", format: sound.format, demandsLast: false, read };
}

/** A count as a header tells it; undefined for what is none, so that the gateway's own count stands. */
export function parseCountHeader(header: string | null): number | undefined {
  const count = Number(header ?? "");
  return Number.isFinite(count) && count > 0 ? count : undefined;
}
