/** Credential of a provider whose calls a fixed header does not authorise, as data. Never logged or shown. */

/** OAuth client credentials: an application's id and secret for a bearer token (Entra ID). */
export interface ClientCredentials {
  readonly type: "client_credentials";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

/** A signed assertion for a bearer token (Google's service accounts, RFC 7523). */
export interface ServiceAccount {
  readonly type: "service_account";
  readonly tokenUrl: string;
  readonly clientEmail: string;
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
  readonly keyId?: string;
  readonly scope: string;
}

/** A signature of every single call (AWS Signature Version 4). */
export interface AwsKeys {
  readonly type: "aws_keys";
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
  readonly service: string;
}

export type TokenCredential = ClientCredentials | ServiceAccount;
export type Credential = TokenCredential | AwsKeys;
