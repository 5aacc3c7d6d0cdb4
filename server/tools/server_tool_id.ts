/** Ids of Anthropic's own tools have another beginning than those of the client's. */
export const serverToolId = (callId: string): string =>
  `srvtoolu_${callId.replace(/^(?:srvtoolu|toolu|call)_/, "").replaceAll(/[^A-Za-z0-9_]/g, "_")}`;
