/** Uploads exports of another chat and waits for what becomes of them, as an owner's client does. */
import { createImport, inspectImport, type RealmImport } from "@skein/api/imports.ts";
import { fetchAs } from "./files.ts";
import { success, type TestQueue, type TestUser } from "./realm.ts";
import { zipOf } from "./tiny-archives.ts";

const person = (id: string, name: string, more: object = {}) => ({
  id,
  name: id.toLowerCase(),
  profile: { real_name: name, email: `${id.toLowerCase()}@lighthouse.example` },
  ...more,
});

const users = [
  person("U1", "Ines Calder", { is_owner: true }),
  person("U2", "Tomasz Wren"),
  person("U3", "Dov Marsh", { deleted: true }),
];

const channels = [
  { id: "C1", name: "harbour", members: ["U1", "U2", "U3"], purpose: { value: "Ships" }, topic: { value: "" } },
  { id: "C2", name: "gossip", members: ["U1"], purpose: { value: "" }, topic: { value: "" } },
];

const day = [
  {
    type: "message",
    user: "U1",
    text: "Fog is coming",
    ts: "1716386400.000100",
    thread_ts: "1716386400.000100",
    reply_count: 1,
  },
  { type: "message", user: "U2", text: "Then light the lamp", ts: "1716386460.000200", thread_ts: "1716386400.000100" },
  { type: "message", user: "U2", text: "Lunch?", ts: "1716390000.000300" },
  { type: "message", subtype: "channel_join", user: "U2", text: "joined", ts: "1716390001.000300" },
];

/** A message with a file that only Slack has. */
const withFile = {
  type: "message",
  user: "U1",
  text: "The chart",
  ts: "1716390100.000300",
  files: [{ id: "F1", name: "chart.txt", url_private: "https://files.slack.com/files-pri/T1-F1/chart.txt?t=xoxe-1" }],
};

/** A small export of Slack. */
export const slackExport = ({ hasFile = false } = {}): Buffer =>
  zipOf([
    ["users.json", JSON.stringify(users)],
    ["channels.json", JSON.stringify(channels)],
    ["harbour/2024-05-22.json", JSON.stringify(hasFile ? [...day, withFile] : day)],
    [
      "gossip/2024-05-22.json",
      JSON.stringify([{ type: "message", user: "U1", text: "Psst", ts: "1716386500.000100" }]),
    ],
  ]);

/** An export of Slack with many people and channels, and a message in each channel. Every hundredth person is deactivated. */
export const largeSlackExport = (peopleCount: number, channelCount: number): Buffer => {
  const people = Array.from({ length: peopleCount }, (_, n) =>
    person(`U${n}`, `Person ${n}`, n % 100 === 99 ? { deleted: true } : {}),
  );
  const members = people.slice(0, 20).map(({ id }) => id);
  const places = Array.from({ length: channelCount }, (_, n) => ({
    id: `C${n}`,
    name: `channel-${n}`,
    members,
    purpose: { value: "" },
    topic: { value: "" },
  }));
  return zipOf([
    ["users.json", JSON.stringify(people)],
    ["channels.json", JSON.stringify(places)],
    ...places.map(
      ({ name }) =>
        [
          `${name}/2024-05-22.json`,
          JSON.stringify([{ type: "message", user: "U0", text: "Hello", ts: "1716386500.000100" }]),
        ] as const,
    ),
  ]);
};

/** Returns the import's ID. */
export async function uploadExport(user: TestUser, bytes = slackExport()): Promise<number> {
  const { id, upload_url } = success(
    await user.call(createImport, { file_name: "lighthouse.zip", size: bytes.length }),
  );
  const half = Math.floor(bytes.length / 2);
  for (const [from, to] of [
    [0, half],
    [half, bytes.length],
  ] as const) {
    const headers = {
      "tus-resumable": "1.0.0",
      "content-type": "application/offset+octet-stream",
      "upload-offset": String(from),
    };
    const body = new Uint8Array(bytes.subarray(from, to));
    const { status } = await fetchAs(user, upload_url, { method: "PATCH", headers, body });
    if (status !== 204) throw new Error(`the upload was refused: ${status}`);
  }
  return id;
}

/** Uploads and inspects. */
export async function readyImport(user: TestUser, queue: TestQueue, bytes?: Buffer): Promise<RealmImport> {
  const id = await uploadExport(user, bytes);
  success(await user.call(inspectImport, { import_id: id }));
  return untilState(queue, id, ["ready", "refused"]);
}

export async function untilState(
  queue: TestQueue,
  id: number,
  states: readonly RealmImport["state"][],
): Promise<RealmImport> {
  for (;;) {
    const { import: changed } = await queue.nextOf("realm_import");
    if (changed.id === id && states.includes(changed.state)) return changed;
  }
}
