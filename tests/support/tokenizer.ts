import { loadTokenizer, type Tokenizer } from "../../server/billing/tokenizer/tokens.ts";

/** Without pauses. */
export const loadedForTest = (): Promise<Tokenizer> => loadTokenizer({ monotonic: () => 0 });
