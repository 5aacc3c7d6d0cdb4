/** A prompt of many tokens, as a coding agent sends it late in a session: one long text, and many turns behind it. */

/** Tokens are taken to be four characters of this text; a tokenizer counts about as many, the frame of JSON included. */
const CHARS = 4;
const SENTENCE = "The gateway reads what the agent has done so far, line by line, and passes it on. ";

const text = (chars: number) => SENTENCE.repeat(Math.ceil(chars / SENTENCE.length)).slice(0, chars);

/** Share of all characters in one first message; the rest is spread over the turns. */
const FIRST = 0.3;
const TURNS = 100;

/** Turn after turn: what the user says, a call, its result, and what the model says of it. */
function turn(at: number, chars: number): readonly object[] {
  const call_id = `call_${at}`;
  return [
    { type: "message", role: "user", content: [{ type: "input_text", text: `Next: ${at}` }] },
    {
      type: "function_call",
      call_id,
      name: "read_file",
      arguments: JSON.stringify({ path: `src/${at}.ts` }),
    },
    { type: "function_call_output", call_id, output: text(chars) },
    {
      type: "message",
      role: "assistant",
      id: `msg_${at}`,
      status: "completed",
      content: [{ type: "output_text", text: `I have read ${at}.`, annotations: [], logprobs: [] }],
    },
  ];
}

/** The body of a request on the Responses wire, as text. */
export function longBody(model: string, tokens: number): string {
  const chars = tokens * CHARS;
  const each = Math.floor(chars * (1 - FIRST) / TURNS);
  return JSON.stringify({
    model,
    instructions: "You are a careful programmer.",
    input: [
      { role: "user", content: text(chars * FIRST) },
      ...Array.from({ length: TURNS }, (_, at) => turn(at, each)).flat(),
      { role: "user", content: "Go on." },
    ],
    tools: [{
      type: "function",
      name: "read_file",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      strict: false,
    }],
    max_output_tokens: 64,
  });
}
