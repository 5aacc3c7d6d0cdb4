/** Names of files as clients send them. */

import { ApiError } from "../../../shared/errors.ts";
import { countCodePoints } from "../../../shared/validation/validate.ts";

const MAX_CHARACTERS = 255;

/** The last part of a path, without control characters. Throws an ApiError (400) where nothing or too much is left. */
export function cleanFileName(input: string): string {
  const name = input.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "");
  const last = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1).trim();
  if (last === "" || last === "." || last === "..") {
    throw new ApiError(
      "invalid_request",
      "Cannot upload file: its name is empty; 1 to 255 characters are allowed",
      {
        metadata: { path: "file" },
      },
    );
  }
  const characters = countCodePoints(last);
  if (characters <= MAX_CHARACTERS) return last;
  throw new ApiError(
    "invalid_request",
    `Cannot upload file: its name is ${characters} characters long; at most ${MAX_CHARACTERS} are allowed`,
    { metadata: { path: "file" } },
  );
}
