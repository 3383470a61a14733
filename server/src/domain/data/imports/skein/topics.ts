/** What messages and people's choices need to know of topics: their names, and when they were renamed. */
import { isRecord, numberOf, recordsOf, stringOf } from "../archive/json.ts";
import type { SourceEdit, SourceId } from "../source.ts";
import type { SkeinPeople } from "./people.ts";
import { type ExportFiles, filesOf, rowsIn, rowsOf, toMicroseconds } from "./rows.ts";

interface Rename {
  edit: SourceEdit;
  /** The topic's last message at that time. */
  upTo: number;
}

export class SkeinTopics {
  readonly #renames = new Map<number, Rename[]>();

  private constructor() {}

  static async read(files: ExportFiles, people: SkeinPeople): Promise<SkeinTopics> {
    const topics = new SkeinTopics();
    for await (const row of rowsOf(files, "topics")) {
      const id = numberOf(row["id"]);
      const renames = recordsOf(row["edits"]).flatMap((edit): Rename[] => {
        const at = toMicroseconds(edit["edited_at"]);
        if (at === undefined) return [];
        const personId = people.idOf(edit["user_id"]);
        const names = { previousTopic: stringOf(edit["prev_topic"]), topic: stringOf(edit["topic"]) };
        return [
          {
            edit: { at, ...(personId === undefined ? {} : { personId }), ...names },
            upTo: numberOf(edit["up_to_id"]) ?? 0,
          },
        ];
      });
      if (id !== undefined && renames.length > 0) topics.#renames.set(id, renames);
    }
    return topics;
  }

  /** Those that a message was there for; it came into the topic at the given time, if it was moved. */
  renamesOf(topic: unknown, message: number, movedAt: number): SourceEdit[] {
    const renames = this.#renames.get(numberOf(topic) ?? -1) ?? [];
    return renames.filter(({ edit, upTo }) => upTo >= message && edit.at > movedAt).map(({ edit }) => edit);
  }
}

export interface TopicPlace {
  channelId: SourceId;
  name: string;
}

/** Where the wanted topics are. Topics of channels with protected history are named only by their messages. */
export async function findTopics(
  files: ExportFiles,
  wanted: ReadonlySet<number>,
): Promise<ReadonlyMap<number, TopicPlace>> {
  const found = new Map<number, TopicPlace>();
  const see = (id: number | undefined, channel: unknown, name: unknown): void => {
    if (id !== undefined && wanted.has(id)) found.set(id, { channelId: String(channel), name: stringOf(name) });
  };
  if (wanted.size === 0) return found;
  for await (const row of rowsOf(files, "topics")) see(numberOf(row["id"]), row["channel_id"], row["name"]);
  for (const entry of filesOf(files, "messages")) {
    if (found.size === wanted.size) break;
    for await (const row of rowsIn(files, entry))
      if (isRecord(row) && row["topic_id"] !== null)
        see(numberOf(row["topic_id"]), row["conversation_id"], row["topic"]);
  }
  return found;
}
