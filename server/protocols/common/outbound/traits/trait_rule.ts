/** A trait of a host as a rule: how the documents say it, and the one function that edits a call by it. */

import type { WireId } from "../../../canonical/item.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import type { EndpointTraits, RenderedRequest } from "../../../wire.ts";

export interface TraitContext {
  readonly wire: WireId;
  readonly endpoint: EndpointTraits;
  /** As it was rendered, once it is. */
  readonly request: ModelRequest;
  /** Takes the name of what was left out, for the routing metadata. */
  readonly note: (words: string) => void;
  /** Takes the name of what the wire's renderer left out and the trait sends instead; it is not reported as dropped. */
  readonly noteSent: (words: string) => void;
}

/** Body, headers and path; what was dropped is told by `note`. */
export type EditableCall = Omit<RenderedRequest, "dropped">;

interface TraitWords {
  /** Words about the host: "takes …", "wants …". */
  readonly says: string;
  /** Words for what is sent instead. */
  readonly sent: string;
}

/** Edits the canonical request before it is rendered: on every wire that reaches the host. */
export interface RequestRule extends TraitWords {
  readonly edits: "request";
  readonly edit: (request: ModelRequest, context: TraitContext) => ModelRequest;
}

/** Edits what was rendered: only where the wires have the place that it is about. */
export interface CallRule extends TraitWords {
  readonly edits: "call";
  readonly wires: readonly WireId[];
  readonly edit: (call: EditableCall, context: TraitContext) => EditableCall;
}

/** Edits nothing: the wires themselves read it, for names that their answers have too, or for their answers alone. */
interface ReadRule extends TraitWords {
  readonly edits: "nothing";
  readonly wires: readonly WireId[];
}

export type TraitRule = RequestRule | CallRule | ReadRule;
