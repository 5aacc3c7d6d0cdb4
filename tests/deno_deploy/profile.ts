/**
 * The profile of Deno Deploy: `TOLLGATE_TEST_PROFILE=deploy deno task test tests/clients` runs tests without the right
 * to write, to start programs or to look at the system, and gives each gateway of theirs the platform's server and a KV
 * database over KV Connect. docs/internals/testing.md says which tests need what the platform lacks.
 */

/** Whether the tests run in it. */
export const isDeployProfile = Deno.env.get("TOLLGATE_TEST_PROFILE") === "deploy";

/** The platform grants more than that; what the gateway needs there it has with these. */
export const DEPLOY_PERMISSIONS = [
  ...["net", "env", "read"].map((name) => `--allow-${name}`),
  ...["write", "run", "ffi", "sys"].map((name) => `--deny-${name}`),
];
