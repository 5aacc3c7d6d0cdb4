/** The search engines. */

import type { EngineId, SearchEngine } from "./engine.ts";
import { brave } from "./engines/brave.ts";
import { exa } from "./engines/exa.ts";
import { firecrawl } from "./engines/firecrawl.ts";
import { parallel } from "./engines/parallel.ts";
import { perplexity } from "./engines/perplexity.ts";
import { searxng } from "./engines/searxng.ts";
import { tavily } from "./engines/tavily.ts";

export const searchEngines: Readonly<Record<EngineId, SearchEngine>> = {
  searxng,
  exa,
  brave,
  tavily,
  perplexity,
  parallel,
  firecrawl,
};
