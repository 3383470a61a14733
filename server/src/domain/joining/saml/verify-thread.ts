/** The thread of verifier.ts. */
import { serveThread } from "../../../platform/idle-thread.ts";
import { verify } from "./verify.ts";

serveThread(verify);
