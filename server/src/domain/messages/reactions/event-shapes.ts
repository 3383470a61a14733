/** The event names the user who reacted, except to guests who may not see that user. */
import type { EmittedEvent } from "../../../events/log-format.ts";
import type { EventShape, Queue } from "../../../events/queue.ts";
import { placeholderEmail } from "../../people/users/email.ts";
import { unknownUserName } from "../../people/users/queries.ts";

/** As stored in the log. */
interface LoggedReaction extends EmittedEvent {
  user_id: number;
  hidden_from?: number[];
}

const isHidden = (event: EmittedEvent, { user }: Queue): boolean =>
  (event as LoggedReaction).hidden_from?.includes(user.id) ?? false;

const reactionShape: EventShape = {
  variant: (event, queue) => String(isHidden(event, queue)),
  shape(event, queue) {
    const { hidden_from: _, ...shown } = event as LoggedReaction;
    if (!isHidden(event, queue)) return shown;
    const { user_id } = shown;
    return {
      ...shown,
      user: { user_id, email: placeholderEmail(user_id, queue.user.host), full_name: unknownUserName },
    };
  },
};

export const reactionEventShapes: [string, EventShape][] = [["reaction", reactionShape]];
