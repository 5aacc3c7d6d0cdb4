/** Signing in at a provider failed. The message names the sign-in's own error code, never what was sent. */
export class CredentialError extends Error {
  override readonly name = "CredentialError";
}
