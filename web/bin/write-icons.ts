/** Writes the sprite src/ui/icons.svg from the icons named in src/ui/icon-names.ts. */
import { writeFileSync } from "node:fs";
import { sprite } from "../src/ui/sprite.ts";

writeFileSync(new URL("../src/ui/icons.svg", import.meta.url), sprite());
