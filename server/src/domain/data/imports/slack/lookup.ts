/** What the texts of a Slack export may refer to. */
import type { SourceId } from "../source.ts";

export interface SlackLookup {
  /** The id of the merged person; undefined for people who are not in the list. */
  personId: (id: string) => SourceId | undefined;
  personName: (id: string) => string | undefined;
  channelName: (id: string) => string | undefined;
}
