/** The reply of GET /readyz. */

export interface Readiness {
  readonly ready: boolean;
  /** Reasons in words that an operator understands; empty when all is well. */
  readonly reasons: readonly string[];
  /** Details that an operator should know and that stop nobody, such as the age of the prices. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export function readinessReply({ ready, reasons, details = {} }: Readiness): Response {
  const body = { status: ready ? "ready" : "not ready", reasons };
  const more = Object.keys(details).length === 0 ? {} : { details };
  return Response.json({ ...body, ...more }, { status: ready ? 200 : 503 });
}
