/**
 * Reasoning that only its maker can read goes back to its maker. Some clients drop ids of reasoning items, and
 * some every field they do not know, but all that replay reasoning at all replay `encrypted_content` unchanged,
 * because its meaning is nobody's business but the provider's. So the maker's name stands there, in front of the
 * cipher: `tg1.<wire>.<hash of the provider>.<cipher>`. It is put there when an answer leaves and taken away
 * before a request goes out, so providers see their own ciphers, byte for byte. The provider is named and not the
 * endpoint, because it reads its ciphers for each of its models.
 */

import type { Item, OutputItem } from "../hub/item.ts";
import type { ModelEvent } from "../hub/event.ts";
import type { Endpoint, Provider } from "../providers/endpoint.ts";
import { shortHash } from "./hash.ts";

export interface Maker {
  readonly wire: string;
  /** Short hash of the provider's slug. */
  readonly provider: string;
}

const mark = /^tg1\.([a-z0-9_]{1,20})\.([a-z0-9]{1,14})\./;

/** What only the marks are read of: a cipher may be megabytes long. */
const MARK_CHARS = 64;

const hashes = new WeakMap<Provider, string>();

function nameOf(provider: Provider): string {
  const known = hashes.get(provider);
  if (known !== undefined) return known;
  const name = shortHash(provider.id);
  hashes.set(provider, name);
  return name;
}

export function marked(cipher: string, { provider }: Endpoint): string {
  return `tg1.${provider.wire}.${nameOf(provider)}.${cipher}`;
}

interface Read {
  readonly maker: Maker;
  readonly cipher: string;
}

export function readMark(text: string): Read | undefined {
  if (!text.startsWith("tg1.")) return undefined;
  const found = mark.exec(text.slice(0, MARK_CHARS));
  const [whole = "", wire = "", provider = ""] = found ?? [];
  return found === null ? undefined : { maker: { wire, provider }, cipher: text.slice(whole.length) };
}

/** Kinds of items that are nothing without their cipher. */
const compactions: readonly string[] = ["compaction", "context_compaction"];

function cipherOf(item: Item): string | undefined {
  if (item.type === "reasoning") return item.encrypted;
  if (item.type !== "foreign" || !compactions.includes(item.kind)) return undefined;
  const { encrypted_content: cipher } = item.value;
  return typeof cipher === "string" ? cipher : undefined;
}

/** A reasoning item may lose its cipher; an item that is nothing else is lost with it. */
function withCipher<T extends Item>(item: T, cipher: string | undefined): T {
  if (item.type === "reasoning") return { ...item, encrypted: cipher };
  if (item.type === "foreign") return { ...item, value: { ...item.value, encrypted_content: cipher } };
  return item;
}

/** Names the maker in what an answer's events carry. */
export function markEvent(event: ModelEvent, endpoint: Endpoint): ModelEvent {
  if (event.type !== "item" && event.type !== "item_done") return event;
  const { item } = event;
  const cipher = item === undefined ? undefined : cipherOf(item);
  if (item === undefined || cipher === undefined || cipher === "") return event;
  return { ...event, item: withCipher<OutputItem>(item, marked(cipher, endpoint)) };
}

export interface Makers {
  /** Of the last cipher: the conversation's present home. */
  readonly last: Maker | undefined;
  /** Of compactions, which no other can read and nobody can do without. */
  readonly needed: readonly Maker[];
}

const nobody: Makers = { last: undefined, needed: [] };

export function makersOf(input: readonly Item[]): Makers {
  let makers = nobody;
  for (const item of input) {
    const maker = markOf(item)?.maker;
    if (maker === undefined) continue;
    const needed = item.type === "foreign" ? [...makers.needed, maker] : makers.needed;
    makers = { last: maker, needed };
  }
  return makers;
}

export const isMaker = ({ provider }: Endpoint, maker: Maker): boolean => nameOf(provider) === maker.provider;

/** On these wires every host of a model reads what the others have signed, and the wire knows its own. */
const portable: readonly string[] = ["messages", "gemini"];

const reads = (endpoint: Endpoint, maker: Maker) =>
  isMaker(endpoint, maker) || (portable.includes(maker.wire) && endpoint.provider.wire === maker.wire);

export interface Unmarked {
  readonly input: readonly Item[];
  /** Ciphers that this endpoint cannot read and that were left out. */
  readonly lost: number;
}

/** The input as this endpoint may see it; the same array when it carries no marks. */
export function unmarkedFor(endpoint: Endpoint, input: readonly Item[]): Unmarked {
  if (!input.some(isMarked)) return { input, lost: 0 };
  let lost = 0;
  const items = input.flatMap((item) => {
    const read = markOf(item);
    if (read === undefined) return [item];
    if (reads(endpoint, read.maker)) return [withCipher(item, read.cipher)];
    lost++;
    return item.type === "reasoning" ? [{ ...withCipher(item, undefined), signature: undefined }] : [];
  });
  return { input: items, lost };
}

const markOf = (item: Item) => readMark(cipherOf(item) ?? "");
const isMarked = (item: Item) => markOf(item) !== undefined;
