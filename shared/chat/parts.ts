/** Content parts of chat messages (specification, Chat completions, embeddings, messages, misc inference). */

import * as z from "zod";
import { cacheControlSchema } from "../fields/cache_control.ts";
import { requireOneOf } from "../fields/primitives.ts";

/** Both marks of an explicit cache breakpoint that a part may carry. */
const marks = {
  prompt_cache_breakpoint: z.looseObject({ mode: z.literal("explicit") }).nullish(),
  cache_control: cacheControlSchema.nullish(),
};

const textPart = z.looseObject({ type: z.literal("text"), text: z.string(), ...marks });

const imagePart = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.looseObject({
    url: z.string().min(1),
    detail: z.enum(["auto", "low", "high", "original"]).nullish(),
  }),
  ...marks,
});

/** `file_data` is a data URL, bare base64 or an address. */
const filePart = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    file_url: z.string().nullish(),
    filename: z.string().nullish(),
  }).check(requireOneOf("file_data", "file_id", "file_url")),
  ...marks,
});

const audioPart = z.looseObject({
  type: z.literal("input_audio"),
  input_audio: z.looseObject({ data: z.string(), format: z.string().min(1) }),
  ...marks,
});

/** `input_video` is the older name. */
const videoPart = z.looseObject({
  type: z.literal(["video_url", "input_video"]),
  video_url: z.looseObject({ url: z.string().min(1) }),
  ...marks,
});

const refusalPart = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });

/** One list for all roles: real clients replay mixed turns. */
const chatPart = z.discriminatedUnion("type", [
  textPart,
  imagePart,
  filePart,
  audioPart,
  videoPart,
  refusalPart,
]);
export type ChatPart = z.infer<typeof chatPart>;

export const chatContent = z.union([z.string(), z.array(chatPart)]);
export type ChatContent = z.infer<typeof chatContent>;
