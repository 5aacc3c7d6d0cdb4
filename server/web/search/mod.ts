/** The search engines. */

import type { SearchEngineId } from "../../../shared/search_engines.ts";
import type { SearchEngine } from "./engine.ts";
import { brave } from "./engines/brave.ts";
import { exa } from "./engines/exa.ts";
import { firecrawl } from "./engines/firecrawl.ts";
import { parallel } from "./engines/parallel.ts";
import { perplexity } from "./engines/perplexity.ts";
import { searxng } from "./engines/searxng.ts";
import { tavily } from "./engines/tavily.ts";

export const searchEngines: Readonly<Record<SearchEngineId, SearchEngine>> = {
  searxng,
  exa,
  brave,
  tavily,
  perplexity,
  parallel,
  firecrawl,
};
