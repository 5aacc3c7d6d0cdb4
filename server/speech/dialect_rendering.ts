/** What the dialects of speech have in common where they ask: voices, speeds, and the endpoint's own spelling. */

import { Refusal } from "../../shared/errors.ts";
import type { Failure } from "../canonical/event.ts";
import type { Json } from "../canonical/item.ts";
import { defined } from "../protocols/common/outbound/render_body.ts";
import type { SpeechAnswer, SpeechEndpoint, SpeechHead, Utterance } from "./dialect.ts";

/** What this provider cannot be told: another one may. */
export function refused(path: string, complaint: string): Refusal {
  return new Refusal("invalid_request", `${path} ${complaint}`, { metadata: { path } });
}

/** The voice by its name at a provider that neither clones nor has a usual one. */
export function namedVoice({ voice, reference }: Utterance): string {
  if (reference !== undefined) throw refused("input_references", "is not taken by this provider");
  if (voice === undefined) throw refused("voice", "is missing; this model has no usual one");
  if (!voice.isWellFormed()) throw refused("voice", "holds half of a character");
  return voice;
}

/** Multipliers that a provider takes. */
export interface SpeedRange {
  readonly least: number;
  readonly most: number;
}

export interface FittedSpeed {
  readonly speed?: number;
  /** What of the wish could not be told. */
  readonly dropped: readonly string[];
}

/** The nearest speed that the provider has: one beyond its range would be an error there. */
export function fittedSpeed(speed: number | undefined, { least, most }: SpeedRange): FittedSpeed {
  if (speed === undefined) return { dropped: [] };
  const fitted = Math.min(Math.max(speed, least), most);
  return { speed: fitted, dropped: fitted === speed ? [] : [`speed ${speed} (spoken at ${fitted})`] };
}

/** Of a provider that cannot be told how a text is to be spoken. */
export const untold = ({ instructions }: Utterance): readonly string[] =>
  instructions === undefined ? [] : ["instructions"];

export interface FittedBody {
  readonly value: Json;
  readonly dropped: readonly string[];
}

export interface Fitting {
  /** What was judged and set aside money for: callers cannot say another model or another text. */
  readonly fixed: Json;
  readonly options: Json;
  readonly endpoint: SpeechEndpoint;
}

/** Our keys, those of the caller above them, those of the endpoint's row above all, less those that it refuses. */
export function fittedBody(ours: Json, { fixed, options, endpoint }: Fitting): FittedBody {
  const asked = defined({ ...ours, ...options, ...fixed, ...endpoint.extraBody });
  const kept = Object.entries(asked).filter(([key]) => !endpoint.omit.includes(key));
  const overruled = Object.keys(options).filter((key) => Object.hasOwn(fixed, key));
  return {
    value: Object.fromEntries(kept),
    dropped: [...overruled, ...Object.keys(asked).filter((key) => endpoint.omit.includes(key))],
  };
}

/** A query of the entries that are words, numbers or switches, or lists of them. */
export function queryOf(entries: Json): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(entries)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      if (typeof one === "object") {
        throw refused(`provider.options.*.${name}`, "is an object; a word or a number is expected");
      }
      query.append(name, String(one));
    }
  }
  return query.toString();
}

/** An error or a page with a status of 200 is no sound, whatever was asked for. */
export function soundUnlessText(
  { contentType }: SpeechHead,
  { sound, failureOf }: {
    readonly sound: SpeechAnswer & { readonly type: "sound" };
    readonly failureOf: (body: string) => Failure;
  },
): SpeechAnswer {
  if (!/^(application\/(problem\+)?json|text\/)/i.test(contentType)) return sound;
  const read = (data: string) => ({ failure: { ...failureOf(data), kind: "upstream_failed" as const } });
  return { type: "frames", framing: "whole", format: sound.format, demandsLast: false, read };
}

/** A count as a header tells it; undefined for what is none, so that the gateway's own count stands. */
export function countIn(header: string | null): number | undefined {
  const count = Number(header ?? "");
  return Number.isFinite(count) && count > 0 ? count : undefined;
}
