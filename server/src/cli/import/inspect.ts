import { describe, openExport } from "../../domain/data/imports/export-file.ts";
import { inspect, type Inspection } from "../../domain/data/imports/inspect.ts";
import { hasToken } from "../../domain/data/imports/slack/hosted-files.ts";
import { command, table } from "../command.ts";
import { formatBytes } from "../format.ts";
import { fileArgument, fileDetails } from "./file-argument.ts";

export const importInspect = command({
  args: [fileArgument],
  options: {},
  details: [fileDetails, "Nothing is written, and the server's settings are not needed."],
  examples: ["skein import inspect export.zip", "skein import inspect export.zip --json"],
  run: async ({ args: [path = ""], answer }) => {
    const { size, isFolder } = await describe(path);
    const found = await inspect((noteSkipped) => openExport(path, noteSkipped, undefined, { canFetch: hasToken }));
    answer({ ...found, ...(isFolder ? {} : { size }) }, toText(found, isFolder ? undefined : size));
  },
});

function toText(found: Inspection, size: number | undefined): string {
  const { people, channels, messages, files } = found;
  const rows = [
    ["Export of", found.organization === undefined ? found.source : `${found.source}: ${found.organization}`],
    ...(size === undefined ? [] : [["Size", formatBytes(size)]]),
    [
      "People",
      `${people.total}, ${people.with_address} with an e-mail address, ${people.inactive} inactive, ${people.bots} bots; ` +
        `${people.only_in_messages} only in messages`,
    ],
    ["Channels", `${channels.public} public, ${channels.private} private, ${channels.archived} of them archived`],
    ["Direct conversations", String(found.direct_conversations)],
    [
      "Messages",
      `${messages.total}: ${messages.in_channels} in channels, ${messages.replies} of them replies; ${messages.direct} direct`,
    ],
    ["Threads", String(found.threads)],
    ["From, to", `${found.first_message ?? "–"}, ${found.last_message ?? "–"}`],
    ["Reactions", String(found.reactions)],
    ["Custom emoji", String(found.emoji)],
    ["Files", `${files.in_archive} (${formatBytes(files.bytes)}); ${files.missing} are not in the export`],
    ...(files.fetchable === 0 ? [] : [["", `${files.fetchable} of them can be fetched (--fetch-files)`]]),
  ];
  const skipped = Object.entries(found.skipped).map(([reason, count]) => [reason, String(count)]);
  return [
    table(rows),
    ...(skipped.length === 0 ? [] : [`Cannot be imported:\n${table(skipped)}`]),
    ...(found.sample_topics.length === 0
      ? []
      : [`Some threads become these topics:\n${table(found.sample_topics.map((name) => [name]))}`]),
  ].join("\n\n");
}
