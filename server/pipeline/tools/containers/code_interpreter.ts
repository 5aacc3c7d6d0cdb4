/** OpenAI's code interpreter on a container of the gateway: Python, whose plots and files are outputs. */

import { cutMiddle } from "../../../../shared/util/text.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type {
  ChangedFile,
  Container,
  ContainerRequest,
  RunResult,
} from "../../../sandbox/containers/containers.ts";
import {
  callMs,
  citedFiles,
  DEFAULT_TIMEOUT_MS,
  limitsOf,
  openCurrent,
  reportedBesides,
  shownResult,
  SWITCH_ON,
  textsOf,
} from "./container_call.ts";
import {
  failedCall,
  textOf,
  type ToolDefinition,
  type ToolInput,
  type ToolOutcome,
  type ToolSession,
} from "../tool_definition.ts";

const parameters = {
  type: "object",
  properties: { code: { type: "string", description: "Python code." } },
  required: ["code"],
  additionalProperties: false,
} as const;

/** A run may take this long. */
const TIMEOUT_MS = 2 * DEFAULT_TIMEOUT_MS;
const MIB = 1024 * 1024;
/** Bytes of an image that is shown, and of all of a call. */
const MAX_IMAGE_BYTES = 4 * MIB;
const MAX_SHOWN_BYTES = 16 * MIB;
/** Characters of a picture that the model is shown: base64, for providers that take less than 4 MiB. */
const MAX_SEEN_CHARS = 2 * MIB;
const imageTypes: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
]);

const PREFIX = "response.code_interpreter_call";

const VIRTUAL_PYTHON = "There are numpy, pandas and matplotlib, no pip, no threads and no programs to start.";
const LINUX_PYTHON =
  "It is the python3 of a Linux system; nothing can be installed, and there is no network unless it was allowed.";

export const codeInterpreter: ToolDefinition = {
  kind: "code_interpreter",
  hosted: { types: ["code_interpreter"], itemType: "code_interpreter_call" },
  whenKnown: ({ containers }) => containers.ready,
  describe: (_settings, { containers: { programs } }) => ({
    description:
      "Runs Python code in a container, as the cells of a notebook: shows what it prints and the value of its last " +
      `expression. Variables, imports and files in /home/user last from call to call. ${
        programs === undefined ? VIRTUAL_PYTHON : LINUX_PYTHON
      } Images and other files that ` +
      "the code writes there are shown to the user.",
    parameters,
  }),
  isHostedAt: ({ provider }) => provider.builtIn !== true,
  isAvailable: ({ deps: { containers } }) => containers.unavailableReason === undefined,
  switchOn: SWITCH_ON,
  imagesOf: ({ outputs }) => imagesIn(outputs),
  itemFields: ({ code }) => ({ code: textOf(code) ?? null, outputs: null }),
  failedStatus: "failed",
  argumentsOf: ({ code }) => textOf(code) === undefined ? undefined : { code },
  timeMs: () => callMs(1, { timeoutMs: TIMEOUT_MS, outputLength: 0 }),
  check: ({ code }) => textOf(code) === undefined ? "code is missing." : undefined,
  progress: {
    started: [`${PREFIX}.in_progress`],
    requested: ({ code }) =>
      textOf(code) === undefined
        ? []
        : [{ type: `${PREFIX}_code.delta`, delta: code }, { type: `${PREFIX}_code.done`, code }],
    completed: [`${PREFIX}.interpreting`, `${PREFIX}.completed`],
  },
  verify: async ({ settings, session, deps }) =>
    await deps.containers.verify(namedRequest(settings, session)),
  run,
};

async function run(input: ToolInput): Promise<ToolOutcome> {
  const { args, signal, countCommands, include } = input;
  const code = textOf(args.code);
  if (code === undefined) return failedCall("code is missing.");
  const container = await openCurrent(namedRequest(input.settings, input.session), input);
  const limits = limitsOf({});
  const result = await container.run({ language: "python", commands: [code], timeoutMs: TIMEOUT_MS, signal });
  countCommands({ commands: 1, seconds: result.seconds });
  const [first] = result.results;
  const shown = first === undefined ? {} : shownResult(first, limits);
  const isIncluded = include.includes("code_interpreter_call.outputs");
  const written = isIncluded || input.seesImages ? await fileOutputs(container, result.files) : [];
  const outputs = isIncluded ? [...logsOf(result, limits.outputLength), ...written] : null;
  return {
    output: JSON.stringify({ ...shown, container_id: container.id, ...reportedBesides(result) }),
    ...(input.seesImages ? { images: imagesIn(written) } : {}),
    fields: { code, container_id: container.id, outputs, files: citedFiles(container.id, result.files) },
    ...(first?.status.type === "failed" ? { failed: true } : {}),
    ...(first?.status.type === "timeout" ? { incomplete: true } : {}),
  };
}

/** `container` names one, or says what a new one has. */
function namedRequest({ container }: JsonObject, session: ToolSession): ContainerRequest {
  const wanted = isRecord(container) ? container : {};
  return {
    ...session,
    containerId: typeof container === "string" ? container : undefined,
    fileIds: textsOf(wanted.file_ids),
    network: undefined,
    sleepAfterSeconds: undefined,
  };
}

/** Renders what the code printed, and behind it the notes on the call. */
function logsOf({ results, notes }: RunResult, most: number): readonly JsonObject[] {
  const logs = results.map(({ stdout, stderr }) => stdout + stderr).join("");
  return [cutMiddle(logs, most), notes.join("\n")].filter((text) => text !== "")
    .map((text) => ({ type: "logs", logs: text }));
}

/** In the order in which they were written. */
async function fileOutputs(
  container: Container,
  files: readonly ChangedFile[],
): Promise<readonly JsonObject[]> {
  const outputs: JsonObject[] = [];
  let left = MAX_SHOWN_BYTES;
  for (const file of [...files].reverse()) {
    const type = imageTypes.get(file.path.split(".").at(-1)?.toLowerCase() ?? "");
    const most = Math.min(left, MAX_IMAGE_BYTES);
    const bytes = type === undefined ? undefined : await container.readFile(file.path, most);
    left -= bytes?.length ?? 0;
    outputs.push(bytes === undefined ? asFile(file) : asImage(bytes, type));
  }
  return outputs;
}

/** Data URLs of pictures among outputs: of our own, or of those that a client brings back. */
const imagesIn = (outputs: unknown): readonly string[] =>
  (Array.isArray(outputs) ? outputs : []).flatMap((output) => {
    const url = isRecord(output) && output.type === "image" ? textOf(output.url) : undefined;
    return url !== undefined && shownUrl.test(url) && url.length <= MAX_SEEN_CHARS ? [url] : [];
  });

const shownUrl = /^data:image\/(?:png|jpeg|gif|webp);base64,/;

const asImage = (bytes: Uint8Array, type = "image/png"): JsonObject => ({
  type: "image",
  url: `data:${type};base64,${bytes.toBase64()}`,
});

const asFile = ({ fileId, path, size }: ChangedFile): JsonObject => ({
  type: "file",
  id: fileId,
  filename: path,
  size_bytes: size,
  status: "completed",
});
