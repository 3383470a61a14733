/** Groups, linkifiers, profile fields, and what people have for themselves, in our own export. */
import { defaultUserSettings } from "@skein/api/settings.ts";
import { userGroupPermissionNames } from "../../../organization/permissions/user-group-permissions.ts";
import { isRecord, type JsonRecord, listOf as itemsOf, numberOf, recordOf, stringOf } from "../archive/json.ts";
import type { SourceExtras } from "../source.ts";
import { toSourceText, type ZulipTextContext } from "../zulip/text.ts";
import type { SkeinGroups } from "./groups.ts";
import type { SkeinPeople } from "./people.ts";
import type { SkeinPlaces } from "./places.ts";
import { type ExportFiles, listOf, rowsOf, toMicroseconds, toSeconds } from "./rows.ts";
import { findTopics } from "./topics.ts";

interface ExtrasContext {
  files: ExportFiles;
  people: SkeinPeople;
  places: SkeinPlaces;
  groups: SkeinGroups;
  text: ZulipTextContext;
}

export function extrasOf({ files, people, places, groups, text }: ExtrasContext): SourceExtras {
  return {
    async *groups() {
      for (const row of groups.named)
        yield {
          id: String(row["id"]),
          name: stringOf(row["name"]),
          description: stringOf(row["description"]),
          isActive: row["deactivated"] !== true,
          members: people.idsOf(row["members"]),
          subgroups: groups.idsOf(row["subgroups"]),
          permissions: groups.valuesOf(userGroupPermissionNames, row),
          ...madeBy(row, people),
        };
    },
    async *linkifiers() {
      for await (const row of rowsOf(files, "linkifiers"))
        yield { pattern: stringOf(row["pattern"]), urlTemplate: stringOf(row["url_template"]) };
    },
    async *playgrounds() {
      for await (const row of rowsOf(files, "playgrounds"))
        yield {
          name: stringOf(row["name"]),
          language: stringOf(row["pygments_language"]),
          urlTemplate: stringOf(row["url_template"]),
        };
    },
    async *channelSets() {
      for await (const row of rowsOf(files, "default_channel_groups"))
        yield {
          name: stringOf(row["name"]),
          description: stringOf(row["description"]),
          channels: itemsOf(row["channels"]).map(String),
        };
    },
    async *profileFields() {
      for await (const row of rowsOf(files, "profile_fields"))
        yield {
          name: stringOf(row["name"]),
          type: numberOf(row["field_type"]) ?? 1,
          hint: stringOf(row["hint"]),
          data: stringOf(row["field_data"]),
          isInSummary: row["display_in_profile_summary"] === true,
          isRequired: row["required"] === true,
          isLocked: row["editable_by_user"] === false,
          isForMatching: row["use_for_user_matching"] === true,
        };
    },
    async *scheduledMessages() {
      for await (const row of rowsOf(files, "scheduled_messages")) {
        const senderId = people.idOf(row["sender_id"]);
        const at = toMicroseconds(row["deliver_at"]);
        if (senderId === undefined || at === undefined) continue;
        const place = placeOf(row, people, places);
        if (place === undefined) continue;
        const [id, hasFailed] = [String(row["id"]), row["failed"] === true];
        yield { id, senderId, ...place, text: toSourceText(stringOf(row["content"]), text), at, hasFailed };
      }
    },
    async *drafts() {
      for await (const row of rowsOf(files, "drafts")) {
        const personId = people.idOf(row["user_id"]);
        const at = toMicroseconds(row["edited_at"]);
        if (personId === undefined || at === undefined) continue;
        const content = toSourceText(stringOf(row["content"]), text);
        yield { id: String(row["id"]), personId, ...draftAddressOf(row, people), text: content, at };
      }
    },
    async *topicVisibility() {
      const chosen = await listOf(files, "user_topics");
      const found = await findTopics(files, new Set(chosen.map((row) => numberOf(row["topic_id"]) ?? 0)));
      for (const row of chosen) {
        const personId = people.idOf(row["user_id"]);
        const topic = found.get(numberOf(row["topic_id"]) ?? 0);
        const policy = numberOf(row["visibility_policy"]);
        if (personId === undefined || topic === undefined || !places.hasChannel(topic.channelId)) continue;
        if (policy === 1 || policy === 2 || policy === 3)
          yield { personId, channelId: topic.channelId, topic: stringOf(row["topic"]) || topic.name, policy };
      }
    },
    async *subscriptions() {
      for await (const row of rowsOf(files, "subscriptions")) {
        const personId = people.idOf(row["user_id"]);
        const channelId = String(row["channel_id"]);
        if (personId === undefined || row["active"] !== true || !isRecord(row["personal"])) continue;
        const personal = row["personal"];
        yield {
          personId,
          channelId,
          color: stringOf(personal["color"]),
          isMuted: personal["is_muted"] === true,
          isPinned: personal["pin_to_top"] === true,
          desktop: choiceOf(personal["desktop_notifications"]),
          audible: choiceOf(personal["audible_notifications"]),
          push: choiceOf(personal["push_notifications"]),
          email: choiceOf(personal["email_notifications"]),
          wildcardMentions: choiceOf(personal["wildcard_mentions_notify"]),
        };
      }
    },
    async *personal() {
      const byPerson = async (kind: string) => Map.groupBy(await listOf(files, kind), (row) => row["user_id"]);
      const alertWords = await byPerson("alert_words");
      const muted = await byPerson("muted_users");
      const snippets = await byPerson("saved_snippets");
      for (const row of people.rows) {
        const personId = people.idOf(row["id"]);
        if (personId === undefined || row["is_bot"] === true || !isRecord(row["settings"])) continue;
        yield {
          personId,
          alertWords: (alertWords.get(row["id"]) ?? []).map((each) => stringOf(each["word"])),
          mutedPeople: people.idsOf((muted.get(row["id"]) ?? []).map((each) => each["muted_user_id"])),
          snippets: (snippets.get(row["id"]) ?? []).map((each) => ({
            title: stringOf(each["title"]),
            content: stringOf(each["content"]),
            text: toSourceText(stringOf(each["content"]), text),
            ...createdAtOf(each),
          })),
          settings: settingsOf(row),
        };
      }
    },
  };
}

const choiceOf = (value: unknown): boolean | null => (typeof value === "boolean" ? value : null);

export function authorOf(row: JsonRecord, people: SkeinPeople): { authorId?: string; createdAt?: number } {
  const authorId = people.idOf(row["author_id"]);
  return { ...(authorId === undefined ? {} : { authorId }), ...createdAtOf(row) };
}

function createdAtOf(row: JsonRecord): { createdAt?: number } {
  const createdAt = toSeconds(row["date_created"]);
  return createdAt === undefined ? {} : { createdAt };
}

function madeBy(row: JsonRecord, people: SkeinPeople): { creatorId?: string; createdAt?: number } {
  const creatorId = people.idOf(row["creator_id"]);
  return { ...(creatorId === undefined ? {} : { creatorId }), ...createdAtOf(row) };
}

function draftAddressOf(
  row: JsonRecord,
  people: SkeinPeople,
): { channelId: string; topic: string } | { people: string[] } | undefined {
  const recipients = itemsOf(row["recipients"]);
  if (row["type"] === "stream") return { channelId: String(recipients[0]), topic: stringOf(row["topic"]) };
  return row["type"] === "private" ? { people: people.idsOf(recipients) } : undefined;
}

/** Where a scheduled message goes. */
export function placeOf(
  row: JsonRecord,
  people: SkeinPeople,
  places: SkeinPlaces,
): { channelId: string; topic: string } | { directId: string } | undefined {
  const channelId = String(row["channel_id"]);
  if (places.hasChannel(channelId)) return { channelId, topic: stringOf(row["topic"]) };
  if (!Array.isArray(row["user_ids"])) return undefined;
  const directId = places.directOf(people.idsOf([...itemsOf(row["user_ids"]), row["sender_id"]]));
  return directId === undefined ? undefined : { directId };
}

/** All settings: the export has those that are not at their default, and new accounts here may have other defaults. */
const settingsOf = (row: JsonRecord): Record<string, string | number | boolean> => {
  const { email_address_visibility } = row;
  const given = { ...defaultUserSettings, ...recordOf(row["settings"]), email_address_visibility };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]): [string, string | number | boolean][] =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? [[name, value]] : [],
    ),
  );
};
