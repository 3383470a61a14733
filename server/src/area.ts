/** What an area of the domain contributes to the server. Each area exports one from its `area.ts`; `areas.ts` lists them. */
import type { Context } from "./context.ts";
import type { EventShape } from "./events/queue.ts";
import type { StatePart } from "./events/state-part.ts";
import type { BoundEndpoint } from "./http/handle.ts";
import type { Page } from "./http/page.ts";
import type { Chore } from "./jobs/chore.ts";
import type { Job } from "./jobs/job.ts";
import type { SecretBox } from "./platform/secret-box.ts";
import type { Consequence } from "./domain/messages/send/consequence.ts";

export interface Area {
  endpoints?: BoundEndpoint[];
  /** Routes outside the API: HTML pages, images, files. */
  pages?: (ctx: Context) => Page[];
  /** How events of a type are shaped for each queue. The box decrypts values that travel encrypted. */
  eventShapes?: (secretBox: SecretBox) => [type: string, shape: EventShape][];
  /** Parts of the register response. */
  stateParts?: StatePart[];
  jobs?: Job[];
  /** Periodic work of the workers. */
  chores?: Chore[];
  /** Side effects of sending a message, in the order they are applied. */
  consequences?: Consequence[];
}
