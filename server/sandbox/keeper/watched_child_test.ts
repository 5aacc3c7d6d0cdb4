import assert from "node:assert/strict";
import { endsWith, endsWithParent } from "./watched_child.ts";

async function runBelow(parent: number): Promise<string> {
  const [command = "", ...args] = endsWith(parent, ["/bin/echo", "begun"]);
  const { stdout } = await new Deno.Command(command, { args }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test({
  name: "a child whose keeper has ended before it could follow does not begin",
  ignore: !endsWithParent,
  fn: async () => {
    assert.equal(await runBelow(Deno.pid), "begun\n");
    assert.equal(await runBelow(Deno.ppid), "");
  },
});
