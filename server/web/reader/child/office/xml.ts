/** XML as elements with their text in order. Entities that a document declares are never read. */

import { XMLParser } from "fast-xml-parser";
import { UnreadableDocument } from "./unreadable_document.ts";

/** Most elements within each other; documents of people have some dozens. */
const MAX_DEPTH = 256;
const ATTRIBUTES = ":@";
const TEXT = "#text";
const CDATA = "#cdata";

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  cdataPropName: CDATA,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
  jPath: false,
});

type RawNode = Readonly<Record<string, unknown>>;

const asNodes = (value: unknown): readonly RawNode[] => Array.isArray(value) ? value as RawNode[] : [];

const named = (name: string): string => name.slice(name.indexOf(":") + 1);

export class XmlElement {
  /** Without its namespace's prefix. */
  readonly name: string;
  readonly #key: string;
  readonly #raw: RawNode;

  constructor(raw: RawNode, key: string) {
    this.#raw = raw;
    this.#key = key;
    this.name = named(key);
  }

  /** Elements and texts in their order, made when they are asked for: the whole tree would not fit twice. */
  get nodes(): readonly (XmlElement | string)[] {
    return nodesOf(asNodes(this.#raw[this.#key]));
  }

  get elements(): readonly XmlElement[] {
    return this.nodes.filter((node) => typeof node !== "string");
  }

  /** The first child of this name, on a way of names. */
  find(...path: readonly string[]): XmlElement | undefined {
    const [name, ...rest] = path;
    const found = this.elements.find((element) => element.name === name);
    return rest.length === 0 ? found : found?.find(...rest);
  }

  all(name: string): readonly XmlElement[] {
    return this.elements.filter((element) => element.name === name);
  }

  /** By its whole name, else by its name within any namespace. */
  attribute(name: string): string | undefined {
    const attributes = this.#raw[ATTRIBUTES];
    if (typeof attributes !== "object" || attributes === null) return undefined;
    const entries = Object.entries(attributes);
    const value = (entries.find(([key]) => key === name) ?? entries.find(([key]) => named(key) === name))
      ?.[1];
    return typeof value === "string" ? decodeEntities(value) : undefined;
  }

  /** A switch: true where it is there, unless it says otherwise. */
  flag(name: string): boolean {
    const child = this.find(name);
    return child !== undefined && !/^(?:0|false|off|none)$/.test(child.attribute("val") ?? "");
  }

  /** All text within. */
  get text(): string {
    return this.nodes.map((node) => typeof node === "string" ? node : node.text).join("");
  }
}

function nodesOf(raws: readonly RawNode[]): readonly (XmlElement | string)[] {
  const nodes: (XmlElement | string)[] = [];
  for (const raw of raws) {
    const key = Object.keys(raw).find((name) => name !== ATTRIBUTES);
    if (key === undefined) continue;
    if (key === TEXT) nodes.push(decodeEntities(String(raw[TEXT])));
    else if (key === CDATA) nodes.push(asNodes(raw[CDATA]).map((text) => String(text[TEXT] ?? "")).join(""));
    else nodes.push(new XmlElement(raw, key));
  }
  return nodes;
}

/** The root element. Throws an UnreadableDocument where the text is no XML, too deep, or declares a type. */
export function parseXml(text: string): XmlElement {
  // Office files have none: it could only declare entities.
  if (text.includes("<!DOCTYPE")) throw new UnreadableDocument("broken");
  const root = rootOf(text);
  if (root === undefined) throw new UnreadableDocument("broken");
  return root;
}

function rootOf(text: string): XmlElement | undefined {
  try {
    return nodesOf(asNodes(parser.parse(text))).find((node) => typeof node !== "string");
  } catch (_error) {
    // The text is no XML, or has more elements within each other than a document has.
    return undefined;
  }
}

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);
const LAST_CODE_POINT = 0x10ffff;

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities.get(name) ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : "";
  });
}
