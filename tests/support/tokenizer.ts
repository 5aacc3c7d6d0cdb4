import { loadTokenizer, type Tokenizer } from "../../server/tokenizer/tokens.ts";

/** Without pauses. */
export const loadedForTest = (): Promise<Tokenizer> => loadTokenizer({ monotonic: () => 0 });
