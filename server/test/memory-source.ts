/** An export in memory, for tests of imports that need no archive. */
import { Readable } from "node:stream";
import type {
  Source,
  SourceChannel,
  SourceDirect,
  SourceEmoji,
  SourceGroup,
  SourceMessage,
  SourceName,
  SourcePerson,
  SourcePersonal,
  SourceReadState,
} from "../src/domain/data/imports/source.ts";

export interface Export {
  name?: SourceName;
  people?: SourcePerson[];
  channels?: SourceChannel[];
  directs?: SourceDirect[];
  emoji?: SourceEmoji[];
  messages?: (SourceMessage | { stub: SourcePerson })[];
  readStates?: SourceReadState[];
  followers?: { personId: string; threadId: string }[];
  /** The source has extras if this is given, or groups or personal things are. */
  topicVisibility?: { personId: string; channelId: string; topic: string; policy: 1 | 2 | 3 }[];
  groups?: SourceGroup[];
  personal?: SourcePersonal[];
  files?: Record<string, Buffer>;
  /** Called for each message that is read. */
  onMessage?: () => void;
}

export function memorySource(given: Export): Source {
  const list = <T>(items: readonly T[] = []) =>
    async function* () {
      yield* items;
    };
  return {
    name: given.name ?? "slack",
    people: list(given.people),
    channels: list(given.channels),
    directs: list(given.directs),
    emoji: list(given.emoji),
    messages: async function* () {
      for (const message of given.messages ?? []) {
        given.onMessage?.();
        yield message;
      }
    },
    readStates: list(given.readStates),
    followers: list(given.followers),
    ...(given.topicVisibility || given.groups || given.personal
      ? {
          extras: {
            groups: list(given.groups),
            linkifiers: list(),
            profileFields: list(),
            scheduledMessages: list(),
            topicVisibility: list(given.topicVisibility),
            personal: list(given.personal),
          },
        }
      : {}),
    readFile: async ({ entry = "" }) => {
      const bytes = given.files?.[entry];
      return bytes && Readable.from([bytes]);
    },
    close: async () => undefined,
  };
}

export const sourcePerson = (id: string, more: Partial<SourcePerson> = {}): SourcePerson => ({
  id,
  kind: "person",
  email: `${id}@lantern.example`,
  name: `Person ${id}`,
  role: 400,
  isActive: true,
  isListed: true,
  ...more,
});

export const sourceChannel = (id: string, members: string[], more: Partial<SourceChannel> = {}): SourceChannel => ({
  id,
  name: id,
  description: "",
  isPrivate: false,
  isArchived: false,
  isDefault: false,
  members,
  ...more,
});

/** Microseconds of a time like 2024-05-22 14:03. */
export const at = (time: string): number => Date.parse(`${time.replace(" ", "T")}:00Z`) * 1000;
