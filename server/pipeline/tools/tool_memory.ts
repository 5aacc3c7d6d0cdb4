/** Remembers what the calls of a request's server tools have used and found so far. */

import type { ServiceToolKind } from "../../../shared/fields/service_tool_names.ts";

/** OpenAI's code interpreter and MCP servers have no spelling as a service tool. */
export type ServerToolKind = ServiceToolKind | "code_interpreter" | "mcp";

/** A page that a search has found or that was fetched. */
export interface WebSource {
  readonly url: string;
  readonly title: string;
  /** Text of the page that the model was given. */
  readonly content?: string;
}

/** A question to an advisor, and what it advised. */
export interface Exchange {
  readonly prompt: string;
  readonly advice: string;
}

/** A passage of a file that a search has found. */
interface FilePassage {
  readonly fileId: string;
  readonly filename: string;
}

export class ToolMemory {
  readonly #uses = new Map<string, number>();
  /** By the name under which the model calls the advisor. */
  readonly #exchanges = new Map<string, Exchange[]>();
  readonly #sources = new Map<string, WebSource>();
  readonly #passages: FilePassage[] = [];
  /** By a container's id, the one in which it was restarted. */
  readonly #restarted = new Map<string, string>();
  /** Number of results of all searches: those that came, and those that searches under way may still bring. */
  #searchResults = 0;

  /** Sets results aside before they are searched for, so that searches at the same time share what is left. */
  takeSearchResults(wanted: number, most: number): number {
    const taken = Math.min(wanted, most - this.#searchResults);
    this.#searchResults += taken;
    return taken;
  }

  /** A search brought fewer than were set aside for it. */
  returnSearchResults(unused: number): void {
    this.#searchResults -= unused;
  }

  /** Counts a use of a tool, or of what tools share; false where there have been as many as may be. */
  takeUse(name: string, most: number): boolean {
    const used = this.#uses.get(name) ?? 0;
    if (used >= most) return false;
    this.#uses.set(name, used + 1);
    return true;
  }

  addExchange(advisor: string, exchange: Exchange): void {
    this.#exchanges.set(advisor, [...this.exchangesOf(advisor), exchange]);
  }

  /** Questions that an advisor was asked in the request, and what it advised. */
  exchangesOf(advisor: string): readonly Exchange[] {
    return this.#exchanges.get(advisor) ?? [];
  }

  addRestart(id: string, next: string): void {
    this.#restarted.set(id, next);
  }

  /** The container in which the one with this id goes on. */
  currentContainer(id: string): string {
    let current = id;
    for (let next = this.#restarted.get(id); next !== undefined; next = this.#restarted.get(next)) {
      current = next;
    }
    return current;
  }

  get hasSources(): boolean {
    return this.#sources.size > 0 || this.#passages.length > 0;
  }

  /** The number by which the model cites it, from 1. */
  addPassage(passage: FilePassage): number {
    return this.#passages.push(passage);
  }

  findPassage(number: number): FilePassage | undefined {
    return this.#passages[number - 1];
  }

  /** Each page once. */
  get sources(): readonly WebSource[] {
    return [...this.#sources.values()];
  }

  /** The title of a page that was found before may become known later. */
  addSource(source: WebSource): void {
    const key = sourceKey(source.url);
    if (key === undefined || this.#sources.get(key)?.title) return;
    this.#sources.set(key, source);
  }

  findSource(url: string): WebSource | undefined {
    const key = sourceKey(url);
    return key === undefined ? undefined : this.#sources.get(key);
  }
}

/** The same for spellings that lead to one page. */
function sourceKey(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  url.hash = "";
  return url.href.replace(/\/$/, "");
}
