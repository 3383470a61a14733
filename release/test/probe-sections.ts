/** The process that runs the probe in the folder given: the probe takes its settings from the environment, once. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Label, file and function, in the probe's own order: accounts, channels, messages. */
const sections = [
  ["0 fixtures", "world", "fixtures"],
  ["4.23 server settings", "sections/server", "serverSettings"],
  ["5 authentication", "sections/server", "authentication"],
  ["4.18 create user", "sections/users", "createUser"],
  ["4.17 users", "sections/users", "listUsers"],
  ["4.22 user by email", "sections/users", "userByEmail"],
  ["4.14 update user", "sections/users", "updateUser"],
  ["4.8 update user by email", "sections/users", "updateUserByEmail"],
  ["4.3 subscribe", "sections/channels", "subscribe"],
  ["4.10 channels", "sections/channels", "listChannels"],
  ["4.24 channel by ID", "sections/channels", "channelById"],
  ["2.2 channel permissions", "sections/channels", "channelPermissions"],
  ["4.1 send message", "sections/messages", "sendMessage"],
  ["4.1 wildcard mentions", "sections/messages", "wildcardMentions"],
  ["4.9 message", "sections/messages", "singleMessage"],
  ["2.1 message object", "sections/messages", "messageObject"],
] as const;

type Section = (recorder: unknown) => Promise<void>;
interface Recorder {
  section: (label: string, body: Section) => Promise<void>;
  /** Prints what failed and how many checks passed; returns an exit code. */
  summary: () => number;
}

const [, , folder = ""] = process.argv;
const load = async (file: string): Promise<unknown> => import(pathToFileURL(join(folder, `${file}.mjs`)).href);

const { section, summary } = (await load("lib")) as Recorder; // the probe's functions
for (const [label, file, name] of sections) {
  const body = ((await load(file)) as Record<string, Section | undefined>)[name]; // as above
  if (!body) throw new Error(`The probe's ${file}.mjs has no ${name}`);
  await section(label, body);
}
const status = summary();
process.stdout.write("", () => process.exit(status));
