/** Keys that providers publish and the gateway never sends, each with the reason. */

const stored = "nothing is stored at a provider";
const others = "no client of ours has a word for it";
const price = "changes the price in a way that is not in the catalog: sent where an endpoint's row lists it";
const modeled = "said with another key";

export const unused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bedrock: {
    guardrailConfig: others,
    promptVariables: stored,
    additionalModelResponseFieldPaths: others,
    requestMetadata: "metadata is echoed and never leaves",
    performanceConfig: price,
  },
  chat: {
    "audio.format": "sound is not taken out of a chat answer; named as dropped",
    "audio.voice.id": "the same",
    "function_call.name": "refused: the older form of tools",
    functions: "the same",
    max_tokens: modeled,
    metadata: "echoed, and never leaves",
    n: "one answer is given to a request",
    store: stored,
    "stream_options.include_obfuscation": "the provider's padding of events, which are written anew",
    user: "never leaves raw",
    "web_search_options.user_location": "a list by type, passed on with its object",
  },
  gemini: {
    "toolConfig.retrievalConfig": others,
    "toolConfig.includeServerSideToolInvocations": others,
    "generationConfig.candidateCount": "one answer is given to a request",
    "generationConfig.responseSchema": modeled,
    "generationConfig.responseFormat": modeled,
    "generationConfig.mediaResolution":
      "for all pictures at once; `detail` is said of each, and named as dropped",
    "generationConfig.speechConfig": "speech has a dialect of its own",
    "generationConfig.audioTranscriptionConfig": others,
    "generationConfig.enableEnhancedCivicAnswers": others,
    "generationConfig.translationConfig": others,
    safetySettings: others,
    cachedContent: stored,
    labels: "metadata is echoed and never leaves",
    store: stored,
    continuationToken: stored,
    model: "stands in the path",
  },
  messages: {
    container: price,
    inference_geo: price,
    mcp_servers: "goes with a toolset alone: tests/mcp/native_test.ts",
    speed: price,
  },
  responses: {
    background: "nothing is stored that could be asked for later",
    "conversation.id": stored,
    metadata: "echoed, and never leaves",
    previous_response_id: stored,
    "prompt.id": stored,
    "prompt.variables": stored,
    "prompt.version": stored,
    "reasoning.generate_summary": modeled,
    user: "never leaves raw",
  },
};
