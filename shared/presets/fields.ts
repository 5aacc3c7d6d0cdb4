/** Settings that a preset keeps of a request, and where each API says them. What stands nowhere here is not kept. */

import { messagesToolsAndServers } from "./mcp_servers.ts";
import { at, type Fields, type Place, type PresetApi } from "./places.ts";
import {
  chatReasoning,
  listOfTexts,
  messagesChoice,
  messagesFormat,
  messagesParallel,
  messagesReasoning,
  namesOfModels,
  responsesChoice,
  responsesFormat,
  responsesTools,
} from "./spellings.ts";

type Places = { readonly [A in PresetApi]?: Place };

const everywhere = (name: string): Places => ({ chat: at(name), responses: at(name), messages: at(name) });
const inTwo = (name: string): Places => ({ chat: at(name), responses: at(name) });
const inChats = (name: string): Places => ({ chat: at(name) });

/** In the order in which they are written. */
export const presetFields: ReadonlyMap<string, Places> = new Map(Object.entries<Places>({
  model: everywhere("model"),
  models: { ...inTwo("models"), messages: at("models", { also: ["fallbacks"], fromApi: namesOfModels }) },
  route: everywhere("route"),
  provider: everywhere("provider"),
  plugins: everywhere("plugins"),
  temperature: everywhere("temperature"),
  top_p: everywhere("top_p"),
  top_k: everywhere("top_k"),
  top_a: inChats("top_a"),
  min_p: inChats("min_p"),
  frequency_penalty: inTwo("frequency_penalty"),
  presence_penalty: inTwo("presence_penalty"),
  repetition_penalty: inChats("repetition_penalty"),
  seed: inChats("seed"),
  logit_bias: inChats("logit_bias"),
  logprobs: inChats("logprobs"),
  top_logprobs: inTwo("top_logprobs"),
  stop: { chat: at("stop"), messages: at("stop_sequences", { toApi: listOfTexts }) },
  max_tokens: {
    chat: at("max_tokens", { also: ["max_completion_tokens"] }),
    responses: at("max_output_tokens"),
    messages: at("max_tokens"),
  },
  reasoning: { chat: chatReasoning, responses: at("reasoning"), messages: messagesReasoning },
  include_reasoning: inChats("include_reasoning"),
  verbosity: { chat: at("verbosity"), responses: at("text.verbosity") },
  response_format: {
    chat: at("response_format"),
    responses: at("text.format", responsesFormat),
    messages: at("output_config.format", { also: ["output_format"], ...messagesFormat }),
  },
  modalities: inTwo("modalities"),
  image_config: everywhere("image_config"),
  service_tier: everywhere("service_tier"),
  cache_control: everywhere("cache_control"),
  truncation: { responses: at("truncation") },
  tools: {
    chat: at("tools"),
    responses: at("tools", responsesTools),
    messages: messagesToolsAndServers,
  },
  tool_choice: {
    chat: at("tool_choice"),
    responses: at("tool_choice", responsesChoice),
    messages: at("tool_choice", messagesChoice),
  },
  parallel_tool_calls: { ...inTwo("parallel_tool_calls"), messages: messagesParallel },
  max_tool_calls: everywhere("max_tool_calls"),
  stop_server_tools_when: everywhere("stop_server_tools_when"),
}));

/** Reads the settings of a request's body. */
export function settingsOf(api: PresetApi, body: Fields): Fields {
  const settings: [string, unknown][] = [];
  for (const [name, { [api]: place }] of presetFields) {
    const value = place?.read(body);
    if (value !== undefined) settings.push([name, value]);
  }
  return Object.fromEntries(settings);
}
