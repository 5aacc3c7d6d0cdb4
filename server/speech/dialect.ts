/** Interface of a dialect of speech: how a provider is asked to speak, and how its answer is read. Pure. */

import type { ReportedCounts } from "../protocols/canonical/usage.ts";
import type { Failure } from "../protocols/canonical/event.ts";
import type { JsonObject } from "../protocols/canonical/item.ts";
import type {
  AudioFormat,
  SpeechCapabilities,
  SpeechDialectId,
  SpeechOutputFormat,
} from "../protocols/canonical/speech.ts";
import type { ProviderError } from "../protocols/wire.ts";

/** One call's worth of text, and how it is to be spoken. */
export interface SpeechRequestPart {
  readonly text: string;
  /** Texts of the calls before, and of those after, where a long text is split. */
  readonly before?: string;
  readonly after?: string;
  /** Requested voice, else the endpoint's usual one. Absent for a voice that is cloned. */
  readonly voice?: string;
  /** The voice is one of the caller's own at the provider, named by its id. */
  readonly customVoice: boolean;
  /** Format that the client gets: the nearest that the provider has is requested, and the rest is converted. */
  readonly format: SpeechOutputFormat;
  readonly speed?: number;
  readonly instructions?: string;
  readonly reference?: {
    /** Bare base64. */
    readonly data: string;
    /** Such as `audio/wav`. */
    readonly mediaType: string;
    readonly transcript?: string;
  };
  /** The caller's configuration for this provider: keys of the dialect's body, which stand above ours. */
  readonly options: JsonObject;
}

/** Facts of the endpoint that a dialect may know. */
export interface SpeechEndpoint {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  readonly traits: SpeechCapabilities;
  /** Request keys that this endpoint refuses, and keys that are added to every request. */
  readonly omit: readonly string[];
  readonly extraBody: JsonObject;
}

/** One part of a form; `data` is bare base64. */
export type FormPart =
  | { readonly type: "field"; readonly name: string; readonly value: string }
  | {
    readonly type: "file";
    readonly name: string;
    readonly filename: string;
    readonly mediaType: string;
    readonly data: string;
  };

type SpeechBody =
  | { readonly type: "json"; readonly value: JsonObject }
  | { readonly type: "form"; readonly parts: readonly FormPart[] }
  /** Such as SSML. */
  | { readonly type: "text"; readonly mediaType: string; readonly text: string };

export interface RenderedSpeechRequest {
  /** Path below the provider's base URL, with a leading slash and perhaps a query. */
  readonly path: string;
  /** Besides the content type and the provider's own. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: SpeechBody;
  /** Format of the audio, where the answer does not say it better. */
  readonly format: AudioFormat;
  /** Parameters that the provider could not get, in words for the routing metadata. */
  readonly dropped: readonly string[];
}

/** The head of an answer with a status of 200 to 299. */
export interface SpeechResponseHead {
  /** Empty when there is none. */
  readonly contentType: string;
  /** The header's value in any spelling of its name; null when it is missing. */
  header(name: string): string | null;
}

/** Content of one chunk of an answer in frames. */
export interface SpeechFrame {
  readonly audio?: Uint8Array;
  /** Counts that the provider has metered for this call: the last ones count. */
  readonly usage?: ReportedCounts;
  readonly failure?: Failure;
  /** The provider's name for its answer. */
  readonly upstreamId?: string;
  /** It was the provider's last word. */
  readonly last?: boolean;
}

/** How the body of an answer is read. */
export type SpeechResponseFormat =
  /** The body is sound. */
  | {
    readonly type: "sound";
    readonly format: AudioFormat;
    readonly usage?: ReportedCounts;
    readonly upstreamId?: string;
  }
  /**
   * Sound in base64 inside of JSON: events, an object a line, or one object in all. `demandsLast`: a stream that
   * ends without a last word was cut.
   */
  | {
    readonly type: "frames";
    readonly framing: "sse" | "lines" | "whole";
    readonly format: AudioFormat;
    readonly demandsLast: boolean;
    /** `data` is the frame's text, JSON or not; `event` its name where it has one. */
    readonly read: (data: string, event?: string) => SpeechFrame;
  }
  /** No sound at all, although the status says that all is well. */
  | { readonly type: "failure"; readonly failure: Failure };

export interface SpeechDialect {
  readonly id: SpeechDialectId;
  /** Characters that one call takes, where the endpoint's row says nothing better. */
  readonly maxChars: number;
  /** Characters as the provider counts and charges them; absent: code points. */
  readonly charactersOf?: (text: string) => number;
  /**
   * Throws an ApiError (400) that names the field where the provider cannot be told what was asked and must not
   * ignore it: another endpoint may.
   */
  render(utterance: SpeechRequestPart, endpoint: SpeechEndpoint): RenderedSpeechRequest;
  parseResponse(head: SpeechResponseHead, call: RenderedSpeechRequest): SpeechResponseFormat;
  /** `body` is the error answer's text, at most 64 KiB of it. */
  parseError(status: number, body: string): ProviderError;
}
