/**
 * Each wall of the engine `virtual` is taken away by a change of its source: what is refused while all of them stand
 * succeeds then. No command does harm where it succeeds: it reads, or meets what the test has made.
 */

import { seeded } from "../fuzz/random.ts";
import { seed } from "../support/seed.ts";
import { machineWalls } from "./machine_walls.ts";
import { sessionWalls } from "./session_walls.ts";
import { row, surrounded, type TakenWall } from "./taken_walls.ts";

const walls: Readonly<Record<string, TakenWall>> = { ...machineWalls, ...sessionWalls };

const SOME = 3;

/** The walls of this run: all of them where long campaigns run, else some that the seed chooses. */
function chosenWalls(): readonly (readonly [name: string, wall: TakenWall])[] {
  if (Deno.env.get("TOLLGATE_TEST_ALL") === "1") return Object.entries(walls);
  const { next } = seeded(seed);
  const inOrder = Object.entries(walls).map((wall) => ({ wall, at: next() })).sort((a, b) => a.at - b.at);
  return inOrder.slice(0, SOME).map(({ wall }) => wall);
}

for (const [name, wall] of chosenWalls()) {
  Deno.test(`what a wall of the engine virtual holds succeeds without it: ${name}`, () =>
    surrounded(async (surroundings) => {
      console.log(`| ${name} | ${await row(wall, surroundings)} |`);
    }));
}
