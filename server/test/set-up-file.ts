/** Runs before each file of tests. */
import { registerCleanUp } from "./end-of-file.ts";

registerCleanUp();
