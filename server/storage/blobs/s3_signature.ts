/** AWS Signature Version 4 of one request to S3. */

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Goes with keys that expire. */
  readonly sessionToken?: string;
}

interface UnsignedS3Request {
  readonly method: string;
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly region: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The headers that prove the request; they hold for some minutes, so they are made for every attempt. The body's hash
 * is among them, so S3 keeps no bytes that were damaged on their way.
 */
export async function signS3Request(
  { accessKeyId, secretAccessKey, sessionToken }: S3Keys,
  { method, url, body, region, now }: UnsignedS3Request,
): Promise<Readonly<Record<string, string>>> {
  const { AwsV4Signer } = await import("aws4fetch");
  const hash = await crypto.subtle.digest("SHA-256", body ?? new Uint8Array());
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { "x-amz-content-sha256": new Uint8Array(hash).toHex() },
    accessKeyId,
    secretAccessKey,
    sessionToken,
    region,
    service: "s3",
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ""),
  });
  const { headers } = await signer.sign();
  return Object.fromEntries(headers);
}
