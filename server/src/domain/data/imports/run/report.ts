/** What an import has done so far: kept with its checkpoint, and printed at its end. */
import type { NoteSkipped, SkipReason } from "../source.ts";

export type ImportedKind =
  | "messages"
  | "notices"
  | "users"
  | "stub_users"
  | "bots"
  | "channels"
  | "files"
  | "emoji"
  | "reactions"
  /** What only servers much like ours have: settings of the organization, groups, linkifiers, profile fields, and what people have for themselves. */
  | "settings";

export interface Report {
  imported: Record<ImportedKind, number>;
  skipped: Partial<Record<SkipReason, number>>;
  /** A few source ids for each reason. */
  examples: Partial<Record<SkipReason, string[]>>;
  /** What an operator should know. */
  remarks: string[];
}

const maxExamples = 20;

export const emptyReport = (): Report => ({
  imported: {
    messages: 0,
    notices: 0,
    users: 0,
    stub_users: 0,
    bots: 0,
    channels: 0,
    files: 0,
    emoji: 0,
    reactions: 0,
    settings: 0,
  },
  skipped: {},
  examples: {},
  remarks: [],
});

/** Counts into a report. */
export const skipInto =
  (report: Report): NoteSkipped =>
  (reason, sourceId) => {
    report.skipped[reason] = (report.skipped[reason] ?? 0) + 1;
    const examples = (report.examples[reason] ??= []);
    if (examples.length < maxExamples) examples.push(sourceId);
  };

const maxRemarks = 100;

export function remarkInto({ remarks }: Report, remark: string): void {
  if (remarks.length < maxRemarks) remarks.push(remark);
}

const kindTexts: Record<ImportedKind, string> = {
  messages: "messages",
  notices: "lines of the Notification Bot",
  users: "accounts",
  stub_users: "inactive accounts of people who are only in messages",
  bots: "bots",
  channels: "channels",
  files: "files",
  emoji: "custom emoji",
  reactions: "reactions",
  settings: "settings, groups, linkifiers, profile fields, scheduled messages, and what people have for themselves",
};

const reasonTexts: Record<SkipReason, string> = {
  system_message: "messages of the other chat itself (joins, topics, pins)",
  encrypted_message: "encrypted messages, which only the devices of their readers can read",
  deleted_message: "messages that were deleted there",
  bad_timestamp: "messages without a valid time",
  bad_message: "messages that cannot be read",
  broken_file: "files of the export that cannot be read",
  unknown_channel: "folders of no known channel",
  reaction_duplicate: "reactions that differ only in skin tone or name",
  reaction_unknown_emoji: "reactions with an unknown emoji",
  reaction_unknown_user: "reactions of unknown people",
  file_not_in_archive: "files that are not in the export; the message links to their old address",
  file_deleted: "files that were deleted there",
  file_link_expired: "files that were not handed out: the export's links to them have expired or were revoked",
  file_too_large: "files that are larger than this server accepts (SKEIN_MAX_UPLOAD_MB)",
  file_unreachable: "files that could not be fetched: there was no response, or not in time",
  avatar_not_in_archive: "avatars that the export names and does not contain",
  permalink_unresolved: "links to messages that are not in the export; they stay as they were",
  pin: "pins, which have no counterpart",
};

export const skipReasons: readonly string[] = Object.keys(reasonTexts);

export function toMarkdown(report: Report, { source, realm }: { source: string; realm: string }): string {
  const imported = Object.entries(report.imported).map(
    ([kind, count]) => `| ${kindTexts[kind as ImportedKind]} | ${count} |`, // the report has no other keys
  );
  const skipped = Object.entries(report.skipped).map(([reason, count]) => {
    const known = reason as SkipReason; // the report has no other keys
    const examples = (report.examples[known] ?? []).map((id) => `\`${id.replaceAll(/[`|\n]/g, " ")}\``).join(", ");
    return `| ${reasonTexts[known]} | ${count} | ${examples} |`;
  });
  return [
    `# Import from ${source} into ${realm}`,
    ["| imported | |", "|---|---:|", ...imported].join("\n"),
    skipped.length === 0
      ? "Nothing was left out."
      : ["| left out | | for example |", "|---|---:|---|", ...skipped].join("\n"),
    ...(report.remarks.length === 0 ? [] : [report.remarks.map((remark) => `- ${remark}`).join("\n")]),
    "",
  ].join("\n\n");
}
