/** Opens an export of another chat, whichever it is. */
import { open as openFile, stat } from "node:fs/promises";
import type { Archive } from "./archive/archive.ts";
import { openFolder } from "./archive/folder.ts";
import { openTar } from "./archive/tar.ts";
import { openZip } from "./archive/zip.ts";
import { findMattermostLines, openMattermost } from "./mattermost/mattermost.ts";
import { findRocketChatRoot, openRocketChat } from "./rocketchat/rocketchat.ts";
import { findSkeinRoot, openSkein } from "./skein/skein.ts";
import { findSlackRoot, openSlack } from "./slack/slack.ts";
import { checkRecords } from "./zulip/records.ts";
import { findZulipRoot, openZulip } from "./zulip/zulip.ts";
import { ArchiveRefused, type OpenOptions, type OpenSource, type Source } from "./source.ts";

export const openSource: OpenSource = async (path, options) => {
  const archive = await openArchive(path);
  try {
    return await openFormat(archive, options);
  } catch (error) {
    await archive.close();
    throw error;
  }
};

async function openArchive(path: string): Promise<Archive> {
  if ((await stat(path)).isDirectory()) return openFolder(path);
  const start = Buffer.alloc(512);
  const file = await openFile(path);
  await file.read(start, 0, start.length, 0);
  await file.close();
  if (start.readUInt16BE(0) === 0x504b) return openZip(path);
  if (start.readUInt16BE(0) === 0x1f8b || start.toString("latin1", 257, 262) === "ustar")
    return openTar(path, checkRecords);
  throw notAnExport();
}

const notAnExport = (): ArchiveRefused =>
  new ArchiveRefused(
    "This is not an export that can be imported. Use the zip file that Slack or Mattermost exported, the .tar.gz file of Skein or Zulip, or the folder of a Rocket.Chat dump, as they were downloaded.",
  );

async function openFormat(archive: Archive, options: OpenOptions): Promise<Source> {
  const skeinRoot = findSkeinRoot(archive);
  if (skeinRoot !== undefined) return openSkein(archive, skeinRoot, options);
  const zulipRoot = findZulipRoot(archive);
  if (zulipRoot !== undefined) return openZulip(archive, zulipRoot, options);
  const slackRoot = findSlackRoot(archive);
  if (slackRoot !== undefined) return openSlack(archive, slackRoot, options);
  const rocketChatRoot = findRocketChatRoot(archive);
  if (rocketChatRoot !== undefined) return openRocketChat(archive, rocketChatRoot, options);
  const mattermostLines = findMattermostLines(archive);
  if (mattermostLines !== undefined) return openMattermost(archive, mattermostLines, options);
  throw notAnExport();
}
