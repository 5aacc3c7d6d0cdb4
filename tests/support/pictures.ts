/** Pictures of any size in bytes, by which a test sees that a stored file is whole: a built-in model looks at it. */

/** The beginning of a PNG image of 4×4 pixels. */
const HEAD = "89504e470d0a1a0a0000000d4948445200000004000000040806000000";

/** So many bytes that begin as an image, which costs as many tokens as it has pixels. */
export function picture(size: number): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from({ length: size }, (_, at) => at % 251);
  bytes.set(Uint8Array.fromHex(HEAD));
  return bytes;
}

/** A form with such a picture. */
export function pictureForm(size: number): FormData {
  const form = new FormData();
  form.append("file", new File([picture(size)], "whole.png"));
  return form;
}

/** The reply to a picture of so many bytes that is as it was sent. */
export const seen = (size: number): RegExp =>
  RegExp(`^200 .*PNG image of 4×4 pixels \\(${size.toLocaleString("en-US")} bytes\\)`, "s");

interface StoredPicture {
  readonly key: string;
  /** Its file's. */
  readonly id: string;
}

/** Asks a built-in model for what it sees: the file is read whole, and held against its digest. */
export async function lookAt(address: string, { key, id }: StoredPicture): Promise<string> {
  const content = [{ type: "input_text", text: "Look" }, { type: "input_image", file_id: id }];
  const response = await fetch(`${address}/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "local/echo", input: [{ role: "user", content }] }),
  });
  return `${response.status} ${await response.text()}`;
}
