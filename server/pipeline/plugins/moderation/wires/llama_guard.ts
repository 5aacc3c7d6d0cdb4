/** Llama Guard on a compatible server: `safe`, or `unsafe` and a line with the codes of categories. */

import { parseChatText, renderChatCall } from "./judge_by_chat.ts";
import type { ModerationWire } from "./wire.ts";

const CODE = /^S\d{1,2}$/;
/** Most codes that are read of an answer. */
const MOST_CODES = 32;

export const llamaGuard: ModerationWire = {
  readsImages: false,
  textsAtOnce: 1,
  renderCall: (inputs, { model }) => renderChatCall(inputs, { model, maxTokens: 100 }),
  parseReply: (reply, { settings: { thresholds } }) => {
    const [verdict, ...more] = parseChatText(reply).split("\n").map((line) => line.trim());
    if (verdict === "safe" && more.length === 0) return [[]];
    if (verdict !== "unsafe") throw new Error("The answer is no verdict");
    const codes = more.flatMap((line) => line.split(",")).map((code) => code.trim());
    // It is unsafe, whatever else is said of why.
    if (codes.length === 0 || codes.length > MOST_CODES || !codes.every((code) => CODE.test(code))) {
      return [["unsafe"]];
    }
    return [codes.filter((code) => thresholds.get(code) !== null)];
  },
};
