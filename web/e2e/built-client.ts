/** Builds the client once, before its first test. */
import { buildWhenStale } from "../build.ts";

export default buildWhenStale;
