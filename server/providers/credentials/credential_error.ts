/** Signing in at a provider failed. The message names the sign-in's own error code, never what was sent. */
export class CredentialError extends Error {
  override readonly name = "CredentialError";
  /** True where the credential is at fault: the sign-in service refused it, or it cannot sign. */
  readonly isRefused: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isRefused?: boolean } = {}) {
    super(message, options);
    this.isRefused = options.isRefused ?? false;
  }
}
