/** AWS Signature Version 4 of one call. */

import { AwsV4Signer } from "aws4fetch";
import type { AwsKeys } from "../credential.ts";

export interface UnsignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The headers that prove the call; a signature holds for five minutes, so it is made for every attempt. */
export async function signAwsRequest(
  keys: AwsKeys,
  call: UnsignedRequest,
): Promise<Readonly<Record<string, string>>> {
  const { accessKeyId, secretAccessKey, sessionToken, region, service } = keys;
  const signer = new AwsV4Signer({
    url: call.url,
    method: "POST",
    // What stands between us and AWS may change other headers.
    headers: { "content-type": call.headers["content-type"] ?? "application/json" },
    body: call.body,
    accessKeyId,
    secretAccessKey,
    sessionToken,
    region,
    service,
    datetime: new Date(call.now).toISOString().replace(/[:-]|\.\d{3}/g, ""),
  });
  const { headers } = await signer.sign();
  const own = Object.fromEntries(headers);
  delete own.host;
  return own;
}
