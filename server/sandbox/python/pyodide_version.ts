/** That of `pyodide` in server/sandbox/child/deno.json. */
export const PYODIDE_VERSION = "314.0.7";
