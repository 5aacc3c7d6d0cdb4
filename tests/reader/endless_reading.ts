/** A program that stands for a gateway which reads documents without end: a test kills it. */

import { endlessPage } from "../support/documents.ts";
import { readerRig } from "../support/reader.ts";

const rig = readerRig();
const page = endlessPage();
await Promise.all([rig.read(page), rig.read(page), rig.read(page)]);
