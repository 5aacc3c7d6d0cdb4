/** Secrets by which webhooks are signed, as Standard Webhooks has them. */

/** Whether it is `whsec_` and the base64 of 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  const [, base64 = ""] =
    /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text) ??
      [];
  const bytes = atob(base64).length;
  return bytes >= 24 && bytes <= 64;
}
