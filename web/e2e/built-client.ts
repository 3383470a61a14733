/** The client is built once, before the first of its tests. */
import { buildWhenStale } from "../build.ts";

export default buildWhenStale;
