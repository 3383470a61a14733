/** What the texts of a Mattermost export may refer to. */
import type { SourceId } from "../source.ts";

export interface MattermostLookup {
  personId: (username: string) => SourceId | undefined;
  personName: (username: string) => string | undefined;
  /** Of the team in which the text was written. */
  channelId: (team: string, name: string) => SourceId | undefined;
  channelName: (id: SourceId) => string | undefined;
  isCustomEmoji: (name: string) => boolean;
}
