/** Llama Guard on a compatible server: `safe`, or `unsafe` and a line with the codes of categories. */

import { parseChatText, renderChatCall } from "./judge_by_chat.ts";
import type { ModerationWire } from "./wire.ts";

const CODES = /^S\d{1,2}(?: ?, ?S\d{1,2}){0,31}$/;

export const llamaGuard: ModerationWire = {
  readsImages: false,
  textsAtOnce: 1,
  renderCall: (inputs, { model }) => renderChatCall(inputs, { model, maxTokens: 100 }),
  parseReply: (reply, { settings: { thresholds } }) => {
    const [verdict, codes, ...more] = parseChatText(reply).split("\n").map((line) => line.trim());
    if (verdict === "safe" && codes === undefined) return [[]];
    if (verdict !== "unsafe" || more.length > 0) throw new Error("The answer is no verdict");
    if (codes === undefined) return [["unsafe"]];
    if (!CODES.test(codes)) throw new Error("The answer has no codes of categories");
    return [codes.split(",").map((code) => code.trim()).filter((code) => thresholds.get(code) !== null)];
  },
};
