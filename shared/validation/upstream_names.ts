/** Names of models at their providers, which some wires put into the path of a call. */

const steering = /(?:^|\/)\.{0,2}(?:\/|$)/;

/**
 * False for a name with an empty segment, `.` or `..` between its slashes: an address is shortened by these, and the
 * call, with the credential, would arrive at another path of the provider.
 */
export const isUpstreamName = (name: string): boolean => !steering.test(name);
