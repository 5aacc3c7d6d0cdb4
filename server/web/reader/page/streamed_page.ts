/** Writes a page while its tokens come: its text as Markdown, its title, and how much is left out. */

import type { ReadDocument, TextLack } from "../messages.ts";
import { linkAddress } from "../link_address.ts";
import { asDate, shownFact, withLack } from "../page_facts.ts";
import { cutWhole } from "../../../../shared/util/text.ts";
import {
  blockNames,
  footerOwners,
  headingLevels,
  isHidden,
  isNavigation,
  isUnseen,
  layoutNames,
  voidNames,
} from "./element_kinds.ts";
import { MarkdownBlocks } from "./markdown_blocks.ts";
import { OpenElements } from "./open_elements.ts";
import type { PageToken, StartTag } from "./page_tokens.ts";

/** Levels that are told apart: what stands deeper is read without its form. */
const MAX_DEPTH = 512;
/** Units of a title. */
const MOST_TITLE = 1_000;
const MOST_DATE = 100;
/** Share of all text, and characters, below which the text outside navigation is not what the page is for. */
const LEAST_OUTSIDE = 0.25;
const LEAST_OUTSIDE_SIZE = 500;

interface ShownElement {
  readonly name: string;
  /** Nothing of it is seen. */
  readonly isUnseen: boolean;
  /** The same, because the page hides it. */
  readonly isHidden: boolean;
  readonly isNavigation: boolean;
  readonly hasSpan: boolean;
}

interface StreamedPageOptions {
  /** Empty where it is not known. */
  readonly url: string;
  readonly maxCharacters: number;
}

const root: ShownElement = {
  name: "",
  isUnseen: false,
  isHidden: false,
  isNavigation: false,
  hasSpan: false,
};

export class StreamedPage {
  readonly #maxCharacters: number;
  readonly #blocks: MarkdownBlocks;
  readonly #open = new OpenElements<ShownElement>((element) => this.#finish(element));
  readonly #size = { all: 0, outside: 0 };
  readonly #seen = { scripts: false, pictures: false, hidden: false };
  #base: string | undefined;
  #hasBase = false;
  #title: string | undefined;
  #isTitle = false;
  #published: string | undefined;
  /** Elements beyond the depth that is told apart, and of how many the outermost hidden one is; 0: none is. */
  #deep = 0;
  #deepHidden = 0;

  constructor({ url, maxCharacters }: StreamedPageOptions) {
    this.#base = URL.parse(url)?.href;
    this.#maxCharacters = maxCharacters;
    this.#blocks = new MarkdownBlocks(maxCharacters);
  }

  /** Whether nothing that comes could be of the text. */
  get isFull(): boolean {
    return this.#blocks.kept.page > this.#maxCharacters;
  }

  take(token: PageToken): void {
    switch (token.type) {
      case "start":
        return this.#begin(token);
      case "end":
        return this.#end(token.name);
      case "text":
        return this.#text(token.text);
      case "pause":
        return;
      default:
        token satisfies never;
    }
  }

  /** `isCut`: the page goes on behind what was taken. */
  end(isCut: boolean): ReadDocument {
    this.#open.endAll();
    this.#blocks.endBlock();
    const { all, outside } = this.#size;
    const isDropped = outside >= all * LEAST_OUTSIDE || outside >= LEAST_OUTSIDE_SIZE;
    const joined = this.#blocks.join(!isDropped);
    const text = cutWhole(joined, this.#maxCharacters);
    const truncated = isCut || text.length < joined.length;
    const percent = all === 0 ? 0 : Math.ceil((1 - (isDropped ? outside : all) / all) * 100);
    return {
      ...withLack<Pick<ReadDocument, "text" | "truncated" | "lack">>({ text, truncated }, this.#lack),
      title: shownFact(this.#title, MOST_TITLE),
      published: asDate(shownFact(this.#published, MOST_DATE)),
      leftOut: percent > 0 ? { what: "navigation", percent } : undefined,
    };
  }

  get #lack(): TextLack {
    if (this.#seen.hidden) return "hidden";
    if (this.#seen.scripts) return "scripts";
    return this.#seen.pictures ? "pictures" : "empty";
  }

  get #parent(): ShownElement {
    return this.#open.innermost ?? root;
  }

  #text(text: string): void {
    if (this.#isTitle) {
      if (!this.#parent.isUnseen) this.#title ??= text.trim() || undefined;
      return;
    }
    const { isUnseen, isHidden, isNavigation } = this.#parent;
    if (isUnseen || this.#deepHidden > 0) {
      if ((isHidden || this.#deepHidden > 0) && text.trim() !== "") this.#seen.hidden = true;
      return;
    }
    const size = text.replaceAll(/\s+/g, "").length;
    this.#size.all += size;
    if (!isNavigation) this.#size.outside += size;
    this.#blocks.text(text);
  }

  #begin(tag: StartTag): void {
    const { name, isSelfClosing } = tag;
    this.#note(tag);
    if (name === "title") this.#isTitle = true;
    if (name === "title" || isSelfClosing && (name === "svg" || name === "math")) return;
    if (this.#deep > 0 || !voidNames.has(name) && this.#open.depth >= MAX_DEPTH) return this.#beginDeep(tag);
    this.#open.endBefore(name);
    if (voidNames.has(name)) return this.#addVoid(tag);
    const parent = this.#parent;
    const hidden = isHidden(tag);
    const isOwned = name === "footer" && footerOwners.some((owner) => this.#open.has(owner));
    const element = {
      name,
      isUnseen: parent.isUnseen || hidden || isUnseen(tag),
      isHidden: parent.isHidden || hidden,
      isNavigation: parent.isNavigation || isNavigation(tag, isOwned),
    };
    if (blockNames.has(name)) this.#border(name);
    this.#blocks.navigation(element.isNavigation);
    this.#open.begin({ ...element, hasSpan: this.#beginForm(tag) });
  }

  /** Whether a span begins with it. */
  #beginForm({ name, attributes }: StartTag): boolean {
    const blocks = this.#blocks;
    const level = headingLevels.get(name);
    if (level !== undefined) blocks.heading(level);
    if (name === "blockquote") blocks.quote(1);
    if (name === "pre") blocks.preformatted(1);
    if (name === "ul" || name === "ol") blocks.beginList(name === "ol", startOf(attributes.get("start")));
    if (name === "li") blocks.item();
    if (name === "table") blocks.beginTable();
    if (name === "tr") blocks.beginRow();
    if (name === "td" || name === "th") blocks.cell();
    if (name === "code" && !blocks.isPreformatted && !this.#open.has("code")) {
      blocks.beginSpan((inner) => `\`${inner}\``);
      return true;
    }
    const address = name === "a" ? this.#addressOf(attributes.get("href")) : undefined;
    if (address === undefined) return false;
    blocks.beginSpan((inner) => `[${inner}](${address})`);
    return true;
  }

  #finish({ name, hasSpan }: ShownElement): void {
    const blocks = this.#blocks;
    if (hasSpan) blocks.endSpan();
    if (name === "tr") blocks.endRow();
    else if (name === "li") blocks.endItem();
    else if (blockNames.has(name)) this.#border(name);
    if (headingLevels.has(name)) blocks.heading(0);
    if (name === "blockquote") blocks.quote(-1);
    if (name === "pre") blocks.preformatted(-1);
    if (name === "ul" || name === "ol") blocks.endList();
    if (name === "table") blocks.endTable();
    blocks.navigation(this.#parent.isNavigation);
  }

  /** Rows and cells have borders of their own. */
  #border(name: string): void {
    if (!/^(?:t[dhr])$/.test(name)) this.#blocks.border(layoutNames.has(name));
  }

  #addVoid(tag: StartTag): void {
    const { name, attributes } = tag;
    if (this.#parent.isUnseen || this.#deepHidden > 0 || isHidden(tag)) return;
    if (name === "br") this.#blocks.lineBreak();
    if (name === "hr") this.#blocks.rule();
    if (name === "img") {
      this.#blocks.picture(attributes.get("alt") ?? "", this.#addressOf(attributes.get("src")));
    }
  }

  #beginDeep(tag: StartTag): void {
    const { name } = tag;
    if (voidNames.has(name)) return this.#addVoid(tag);
    this.#deep++;
    if (this.#deepHidden === 0 && (isHidden(tag) || isUnseen(tag))) this.#deepHidden = this.#deep;
    if (blockNames.has(name)) this.#blocks.border(false);
  }

  #end(name: string): void {
    if (name === "title") {
      this.#isTitle = false;
      return;
    }
    if (this.#deep === 0) return this.#open.end(name);
    if (this.#deepHidden === this.#deep) this.#deepHidden = 0;
    this.#deep--;
    if (blockNames.has(name)) this.#blocks.border(false);
  }

  /** Notes what is told of the page besides its text. */
  #note({ name, attributes }: StartTag): void {
    if (name === "script") this.#seen.scripts = true;
    if (pictureNames.has(name)) this.#seen.pictures = true;
    const href = attributes.get("href");
    if (name === "base" && href !== undefined && !this.#hasBase) {
      this.#hasBase = true;
      this.#base = URL.parse(href, this.#base)?.href ?? this.#base;
    }
    const isDate = attributes.get("property") === "article:published_time" ||
      attributes.get("name") === "date";
    if (name === "meta" && isDate) this.#published ??= attributes.get("content");
  }

  #addressOf(written: string | undefined): string | undefined {
    return written === undefined ? undefined : linkAddress(written.trim(), this.#base);
  }
}

const pictureNames: ReadonlySet<string> = new Set("canvas embed img object picture svg video".split(" "));

const MOST_START = 1_000_000;

function startOf(written: string | undefined): number {
  const start = Number(written ?? 1);
  return Number.isInteger(start) && start >= 0 && start <= MOST_START ? start : 1;
}
