/** Models of OpenAI's that were trained with its tools `apply_patch` and `shell`. */

const trained = /^gpt-5\.[1-9]|^gpt-[6-9]/;

export const knowsOpenAiTools = (upstreamModel: string): boolean => trained.test(upstreamModel);
