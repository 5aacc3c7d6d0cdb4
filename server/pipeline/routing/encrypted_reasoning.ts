/**
 * Reasoning that only its maker can read goes back to its maker. Some clients drop ids of reasoning items, and some
 * every field they do not know, but all that replay reasoning at all replay `encrypted_content` unchanged, because
 * its meaning is nobody's business but the provider's. So the maker's name stands there, in front of the encrypted
 * text: `tg1.<wire>.<hash of the provider>.<encrypted text>`. It is put there when a response leaves and removed
 * before a request goes out, so providers see their own encrypted reasoning, byte for byte. The provider is named
 * and not the endpoint, because it reads its encrypted reasoning for each of its models.
 *
 * Providers that want reasoning texts and signatures back have these there too: `tg2.<wire>.<hash>.<content>`,
 * written by the Responses renderer (`protocols/canonical/encrypted_reasoning.ts`) and read here.
 */

import { decodeReasoning, originMark } from "../../protocols/canonical/encrypted_reasoning.ts";
import type {
  Item,
  OutputItem,
  ReasoningItem,
  ReasoningOrigin,
  WireId,
} from "../../protocols/canonical/item.ts";
import type { ModelEvent } from "../../protocols/canonical/event.ts";
import type { Endpoint, Provider } from "../../providers/endpoint.ts";
import { shortHash } from "./selection/hash.ts";

interface OriginMark {
  readonly wire: string;
  /** Short hash of the provider's slug. */
  readonly provider: string;
}

const mark = /^tg([12])\.([a-z0-9_]{1,20})\.([a-z0-9]{1,14})\./;

/** Number of characters that are read of an encrypted text, which may be megabytes long: only the marks. */
const MARK_CHARS = 64;

const origins = new WeakMap<Provider, ReasoningOrigin>();

function originOf(provider: Provider): ReasoningOrigin {
  const known = origins.get(provider);
  if (known !== undefined) return known;
  const origin = { wire: provider.wire, provider: shortHash(provider.id), replays: replaysOf(provider) };
  origins.set(provider, origin);
  return origin;
}

/**
 * Kind of reasoning that goes back to a provider; Gemini gets only signatures, which its encrypted reasoning holds.
 */
function replaysOf({ wire, quirks }: Provider): ReasoningOrigin["replays"] {
  switch (wire) {
    case "messages":
    case "bedrock":
      return "signed";
    case "chat":
      return quirks.reasoningReplay === undefined ? "never" : "always";
    case "responses":
      return quirks.passKeys?.includes("reasoning.content") === true ? "always" : "never";
    case "gemini":
      return "never";
    default:
      return wire satisfies never;
  }
}

const addOriginMark = (encrypted: string, { provider }: Endpoint): string =>
  originMark(1, originOf(provider)) + encrypted;

interface Read {
  readonly maker: OriginMark;
  /** Whether the texts are in it as well. */
  readonly whole: boolean;
  readonly encrypted: string;
}

function parseOriginMark(text: string): Read | undefined {
  if (!text.startsWith("tg")) return undefined;
  const found = mark.exec(text.slice(0, MARK_CHARS));
  if (found === null) return undefined;
  const [all, version, wire = "", provider = ""] = found;
  return { maker: { wire, provider }, whole: version === "2", encrypted: text.slice(all.length) };
}

/** Kinds of items that are nothing without their encrypted text. */
const compactions: readonly string[] = ["compaction", "context_compaction"];

function encryptedText(item: Item): string | undefined {
  if (item.type === "reasoning") return item.encrypted;
  if (item.type !== "foreign" || !compactions.includes(item.kind)) return undefined;
  const { encrypted_content: encrypted } = item.value;
  return typeof encrypted === "string" ? encrypted : undefined;
}

/** A reasoning item may lose its encrypted text; an item that is nothing else is lost with it. */
function withEncryptedText<T extends Item>(item: T, encrypted: string | undefined): T {
  if (item.type === "reasoning") return { ...item, encrypted };
  if (item.type === "foreign") return { ...item, value: { ...item.value, encrypted_content: encrypted } };
  return item;
}

/** Names the maker in what a response's events carry. */
export function markEventOrigin(event: ModelEvent, endpoint: Endpoint): ModelEvent {
  if (event.type !== "item" && event.type !== "item_done") return event;
  const { item } = event;
  if (item === undefined) return event;
  if (item.type === "reasoning") return { ...event, item: markReasoning(item, endpoint) };
  const encrypted = encryptedText(item);
  if (!encrypted) return event;
  return { ...event, item: withEncryptedText<OutputItem>(item, addOriginMark(encrypted, endpoint)) };
}

function markReasoning(item: ReasoningItem, endpoint: Endpoint): ReasoningItem {
  const { encrypted } = item;
  const origin = originOf(endpoint.provider);
  return encrypted ? { ...item, encrypted: addOriginMark(encrypted, endpoint), origin } : { ...item, origin };
}

/** Which endpoints can read a compaction: those of a provider, those of a wire, or none. */
export type CompactionReader =
  | { readonly type: "provider"; readonly maker: OriginMark }
  | { readonly type: "wire"; readonly wire: WireId }
  | { readonly type: "nobody" };

interface ReasoningOrigins {
  /** Mark of the last encrypted text: the conversation's present home. */
  readonly last: OriginMark | undefined;
  /**
   * Readers of compactions: no other endpoint can read them, and without them the conversation has lost its
   * beginning.
   */
  readonly readers: readonly CompactionReader[];
}

const nobody: ReasoningOrigins = { last: undefined, readers: [] };

export function reasoningOrigins(input: readonly Item[]): ReasoningOrigins {
  let makers = nobody;
  for (const item of input) {
    const read = markOf(item);
    const reader = readerOf(item, read);
    if (read === undefined && reader === undefined) continue;
    const readers = reader === undefined ? makers.readers : [...makers.readers, reader];
    makers = { last: read?.maker ?? makers.last, readers };
  }
  return makers;
}

/** A compaction that is not marked comes from a provider that the client has called without us. */
function readerOf(item: Item, read: Read | undefined): CompactionReader | undefined {
  if (item.type !== "foreign" || encryptedText(item) === undefined) return undefined;
  if (read === undefined) return { type: "wire", wire: item.wire };
  return read.whole ? { type: "nobody" } : { type: "provider", maker: read.maker };
}

export function canRead(endpoint: Endpoint, reader: CompactionReader): boolean {
  switch (reader.type) {
    case "provider":
      return isOrigin(endpoint, reader.maker);
    case "wire":
      return endpoint.provider.wire === reader.wire;
    case "nobody":
      return false;
    default:
      return reader satisfies never;
  }
}

export const isOrigin = ({ provider }: Endpoint, maker: OriginMark): boolean =>
  originOf(provider).provider === maker.provider;

/** On these wires every host of a model reads what the others have signed, and the wire knows its own. */
const portable: readonly string[] = ["messages", "gemini"];

const reads = (endpoint: Endpoint, maker: OriginMark) =>
  isOrigin(endpoint, maker) || (portable.includes(maker.wire) && endpoint.provider.wire === maker.wire);

interface InputForEndpoint {
  readonly input: readonly Item[];
  /** Encrypted reasoning that this endpoint cannot read and that were left out. */
  readonly dropped: number;
}

/** The input as this endpoint may see it; the same array when it carries no marks. */
export function inputForEndpoint(endpoint: Endpoint, input: readonly Item[]): InputForEndpoint {
  if (!input.some(isMarked)) return { input, dropped: 0 };
  let lost = 0;
  const items = input.flatMap((item) => {
    const read = markOf(item);
    if (read === undefined) return [item];
    const readable = reads(endpoint, read.maker) ? readBy(item, read) : undefined;
    if (readable !== undefined) return [readable];
    lost++;
    return item.type === "reasoning" ? [visibleOf(item, read)] : [];
  });
  return { input: items, dropped: lost };
}

/** The item as its maker made it; undefined where what it needs for that was changed on the way. */
function readBy(item: Item, { whole, encrypted }: Read): Item | undefined {
  if (!whole) return withEncryptedText(item, encrypted);
  const content = decodeReasoning(encrypted);
  if (content === undefined || item.type !== "reasoning") return undefined;
  return { ...item, signature: undefined, encrypted: undefined, format: undefined, ...content };
}

/** Part of a reasoning item that every provider can read. */
function visibleOf(item: ReasoningItem, { whole }: Read): ReasoningItem {
  const visible = { ...item, encrypted: undefined, signature: undefined };
  return whole ? { ...visible, format: undefined } : visible;
}

const markOf = (item: Item) => parseOriginMark(encryptedText(item) ?? "");
const isMarked = (item: Item) => markOf(item) !== undefined;
