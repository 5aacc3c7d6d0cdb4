/** Writes a page while its tokens come: its text as Markdown, its title, and how much is left out. */

import type { ReadDocument, TextLack } from "../messages.ts";
import { linkAddress } from "../link_address.ts";
import { asDate, shownFact, withLack } from "../page_facts.ts";
import { cutWhole } from "../../../../shared/util/text.ts";
import {
  blockNames,
  footerOwners,
  headingLevels,
  isNavigation,
  layoutNames,
  voidNames,
} from "./element_kinds.ts";
import { MarkdownBlocks } from "./markdown_blocks.ts";
import { OpenElements } from "./open_elements.ts";
import { foreignNames, type PageToken, type StartTag } from "./page_tokens.ts";
import { fullySeen, isPictureSeen, isTextSeen, type SeenState, seenWithin } from "./seen_state.ts";

/** Levels of which the form is told. What stands deeper is followed all the same, so that hidden text stays hidden. */
const MAX_FORM_DEPTH = 512;
/** Open elements behind which a page is read no further: no page that somebody writes has so many. */
const MAX_DEPTH = 65_536;
/** Units of a title. */
const MOST_TITLE = 1_000;
const MOST_DATE = 100;
/** Share of all text, and characters, below which the text outside navigation is not what the page is for. */
const LEAST_OUTSIDE = 0.25;
const LEAST_OUTSIDE_SIZE = 500;

interface ShownElement {
  readonly name: string;
  readonly seen: SeenState;
  readonly isNavigation: boolean;
  readonly hasForm: boolean;
  readonly hasSpan: boolean;
}

interface StreamedPageOptions {
  /** Empty where it is not known. */
  readonly url: string;
  readonly maxCharacters: number;
}

const root: ShownElement = {
  name: "",
  seen: fullySeen,
  isNavigation: false,
  hasForm: true,
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

  constructor({ url, maxCharacters }: StreamedPageOptions) {
    this.#base = URL.parse(url)?.href;
    this.#maxCharacters = maxCharacters;
    this.#blocks = new MarkdownBlocks(maxCharacters);
  }

  /** Whether nothing that comes is read. */
  get isFull(): boolean {
    return this.#blocks.kept.page > this.#maxCharacters || this.#open.depth >= MAX_DEPTH;
  }

  /** Whether an element of another language is open. */
  get isForeign(): boolean {
    return foreignNames.some((name) => this.#open.has(name));
  }

  take(token: PageToken): void {
    switch (token.type) {
      case "start":
        this.#begin(token);
        if (token.isSelfClosing && !voidNames.has(token.name)) this.#end(token.name);
        return;
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
      if (!this.#parent.seen.isUnseen) this.#title ??= text.trim() || undefined;
      return;
    }
    const { seen, isNavigation } = this.#parent;
    if (!isTextSeen(seen)) {
      if ((seen.isHidden || !seen.isUnseen) && text.trim() !== "") this.#seen.hidden = true;
      return;
    }
    const size = text.replaceAll(/\s+/g, "").length;
    this.#size.all += size;
    if (!isNavigation) this.#size.outside += size;
    this.#blocks.text(text);
  }

  #begin(tag: StartTag): void {
    const { name } = tag;
    this.#note(tag);
    if (name === "title") {
      this.#isTitle = true;
      return;
    }
    this.#open.endBefore(name);
    if (voidNames.has(name)) return this.#addVoid(tag);
    const parent = this.#parent;
    const isOwned = name === "footer" && footerOwners.some((owner) => this.#open.has(owner));
    const hasForm = this.#open.depth < MAX_FORM_DEPTH;
    const element = {
      name,
      seen: seenWithin(parent.seen, tag),
      isNavigation: parent.isNavigation || isNavigation(tag, isOwned),
      hasForm,
    };
    if (blockNames.has(name)) this.#border(name, hasForm);
    this.#blocks.navigation(element.isNavigation);
    this.#open.begin({ ...element, hasSpan: hasForm && this.#beginForm(tag) });
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
      return blocks.beginSpan((inner) => `\`${inner}\``);
    }
    const address = name === "a" ? this.#addressOf(attributes.get("href")) : undefined;
    return address !== undefined && blocks.beginSpan((inner) => `[${inner}](${address})`);
  }

  #finish({ name, hasForm, hasSpan }: ShownElement): void {
    if (hasForm) this.#finishForm(name, hasSpan);
    else if (blockNames.has(name)) this.#border(name, false);
    this.#blocks.navigation(this.#parent.isNavigation);
  }

  #finishForm(name: string, hasSpan: boolean): void {
    const blocks = this.#blocks;
    if (hasSpan) blocks.endSpan();
    if (name === "tr") blocks.endRow();
    else if (name === "li") blocks.endItem();
    else if (blockNames.has(name)) this.#border(name, true);
    if (headingLevels.has(name)) blocks.heading(0);
    if (name === "blockquote") blocks.quote(-1);
    if (name === "pre") blocks.preformatted(-1);
    if (name === "ul" || name === "ol") blocks.endList();
    if (name === "table") blocks.endTable();
  }

  /** Rows and cells that have a form have borders of their own. */
  #border(name: string, hasForm: boolean): void {
    if (!hasForm) this.#blocks.border(false);
    else if (!/^(?:t[dhr])$/.test(name)) this.#blocks.border(layoutNames.has(name));
  }

  #addVoid(tag: StartTag): void {
    const { name, attributes } = tag;
    if (!isPictureSeen(seenWithin(this.#parent.seen, tag))) return;
    if (name === "br") this.#blocks.lineBreak();
    if (name === "hr") this.#blocks.rule();
    if (name === "img") {
      this.#blocks.picture(attributes.get("alt") ?? "", this.#addressOf(attributes.get("src")));
    }
  }

  /** The end of a line or of a paragraph that has none is a line break, or an empty paragraph. */
  #end(name: string): void {
    if (name === "title") this.#isTitle = false;
    else if (name === "br") {
      if (isPictureSeen(this.#parent.seen)) this.#blocks.lineBreak();
    } else if (!this.#open.end(name) && name === "p") this.#border(name, true);
  }

  /** Notes the facts that a page gives besides its text. */
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
