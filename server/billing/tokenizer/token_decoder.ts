/**
 * Texts of tokens of cl100k_base, the encoding of OpenAI's embedding models, in which clients send tokens whatever the
 * model. Its table takes 5 MB, so it is loaded by the first request with tokens.
 */

import { Buffer } from "node:buffer";
import { Memo } from "../../../shared/util/memo.ts";
import { pause } from "../../../shared/util/pause.ts";
import { runWork } from "../../../shared/util/run_work.ts";
import { readRankTable } from "./rank_table.ts";
import type { LoadClock } from "./tokens.ts";

/** The text of tokens that the encoding has; a character that is cut at an end is U+FFFD. */
type TokenDecoder = (tokens: readonly number[]) => string;

let decoder: Memo<TokenDecoder> | undefined;

/** By the clock of the first who asks, others run in between. */
export function loadTokenDecoder(clock: LoadClock): Promise<TokenDecoder> {
  decoder ??= new Memo(() => load(clock));
  return decoder.get();
}

async function load(clock: LoadClock): Promise<TokenDecoder> {
  const { default: text } = await import("gpt-tokenizer/data/cl100k_base.tiktoken", {
    with: { type: "text" },
  });
  const table = await runWork(readRankTable(text), { clock, pause, mostMs: Infinity });
  return (tokens) =>
    Buffer.from(tokens.map((token) => table.bytesOf(token) ?? "").join(""), "latin1").toString();
}
