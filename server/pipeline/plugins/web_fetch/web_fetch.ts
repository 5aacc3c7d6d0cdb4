/** The plugin `web-fetch`: gives the model the pages that the user's latest message names, fetched side by side. */

import * as z from "zod";
import { ApiError } from "../../../../shared/errors.ts";
import { tryParseJson } from "../../../../shared/util/json.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { RequestContext } from "../../request_context.ts";
import { DEFAULT_TOKENS, loadPage, type PageAccess } from "../../tools/web/load_page.ts";
import { rulesIn } from "../../tools/web/web_search_settings.ts";
import type { PluginDefinition, PluginDeps } from "../plugin.ts";
import { callForPlugin } from "../plugin_call.ts";
import type { PluginOptions } from "../plugin_use.ts";
import { type FetchedPage, namedAddresses, withPages } from "./fetched_message.ts";

type Options = PluginOptions<"web-fetch">;

export const webFetch: PluginDefinition<Options> = {
  stage: ({ options }, deps) => (next) => async (context) => {
    const urls = addressesFor(options, context.request);
    if (urls.length === 0) return await next(context);
    const pages = await fetchPages(context, { options, deps, urls });
    recordStage(context, pages);
    const read = await readByGuard(context, pages);
    const input = withPages(context.request.input, { pages: read, now: deps.clock.now() });
    return await next({ ...context, request: { ...context.request, input } });
  },
  explain: ({ options }, { request }) => {
    const urls = addressesFor(options, request);
    return urls.length === 0
      ? "do nothing: the user's latest message names no address"
      : `fetch ${urls.map((url) => JSON.stringify(url)).join(", ")}`;
  },
};

/** Addresses that are fetched where nobody says how many, and the most. */
export const USUAL_PAGES = 5;
export const MOST_PAGES = 20;

const addressesFor = ({ max_uses }: Options, { input }: Pick<ModelRequest, "input">): readonly string[] =>
  namedAddresses(input).slice(0, Math.min(max_uses ?? USUAL_PAGES, MOST_PAGES));

interface Fetching {
  readonly options: Options;
  readonly deps: PluginDeps;
  readonly urls: readonly string[];
}

/** Each page is a call of its own on the receipt. */
async function fetchPages(
  context: RequestContext,
  { options, deps, urls }: Fetching,
): Promise<readonly FetchedPage[]> {
  const pages = await Promise.all(urls.map((url) => fetchInTime(context, { options, deps, url })));
  return await cutTogether(deps.toolDeps, { pages, most: options.max_content_tokens ?? DEFAULT_TOKENS });
}

/** A page that takes too long is one that failed. */
async function fetchInTime(
  context: RequestContext,
  { options, deps, url }: Omit<Fetching, "urls"> & { readonly url: string },
): Promise<FetchedPage> {
  try {
    return await callForPlugin(context, {
      deps,
      id: "web-fetch",
      isFailed: ({ type }) => type === "failed",
      work: ({ signal }) => fetchPage({ signal, deps: deps.toolDeps }, { url, options }),
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { type: "failed", url, reason: error.message };
  }
}

async function fetchPage(
  access: PageAccess,
  { url, options }: Pick<Fetching, "options"> & { readonly url: string },
): Promise<FetchedPage> {
  const { allowed_domains, blocked_domains, max_content_tokens } = options;
  const loaded = await loadPage(access, {
    url,
    domains: { allowed: rulesIn([allowed_domains]), excluded: rulesIn([blocked_domains]) },
    mostTokens: max_content_tokens ?? DEFAULT_TOKENS,
  });
  if (loaded.type === "failed") return { type: "failed", url, reason: loaded.failure.reason };
  const { page: { title, content, truncated } } = loaded;
  return { type: "page", url, title, text: content, truncated: truncated === true };
}

interface Cutting {
  readonly pages: readonly FetchedPage[];
  /** Tokens of all texts together. */
  readonly most: number;
}

/** Cuts what goes beyond the tokens of all pages: the first page has its text before the next one. */
async function cutTogether(
  { web }: PluginDeps["toolDeps"],
  { pages, most }: Cutting,
): Promise<readonly FetchedPage[]> {
  const all = pages.map((page) => page.type === "page" ? page.text : "").join("");
  let left = (await web.firstTokens(all, most)).length;
  return pages.map((page) => {
    if (page.type === "failed") return page;
    const text = page.text.slice(0, left).toWellFormed();
    left -= text.length;
    return { ...page, text, truncated: page.truncated || text.length < page.text.length };
  });
}

/** Pages as the guardrails let them through. Throws an ApiError where they block one. */
async function readByGuard(
  { guards }: RequestContext,
  pages: readonly FetchedPage[],
): Promise<readonly FetchedPage[]> {
  const guard = guards?.latest;
  if (guard === undefined) return pages;
  const texts = pages.map((page) => page.type === "page" ? [page.title, page.text] : []);
  const fetched = { output: JSON.stringify(texts), fields: {} };
  const { output } = await guard.readToolOutput(fetched, { kind: "web_fetch", bringer: "plugin web-fetch" });
  const read = readTexts.safeParse(tryParseJson(output)).data ?? [];
  return pages.map((page, at) => {
    if (page.type === "failed") return page;
    const [title = "", text = ""] = read[at] ?? [];
    return { ...page, title, text };
  });
}

/** Titles and texts of pages. */
const readTexts = z.array(z.array(z.string()));

function recordStage({ record }: RequestContext, pages: readonly FetchedPage[]): void {
  const failed = pages.filter(({ type }) => type === "failed").length;
  const fetched = pages.length - failed;
  record.addStage({
    type: "plugin",
    name: "web-fetch",
    summary: `Fetched ${fetched} of ${pages.length === 1 ? "1 page" : `${pages.length} pages`}.`,
    data: { fetched, failed },
  });
}
