/** An export of Mattermost with a bit of everything, determined by a seed. */
import { zipOf } from "./tiny-archives.ts";
import { Chance } from "./random-export.ts";

const usernames = ["mara", "jonas", "edda", "pim", "ruta", "sol"];
const emoji = ["tada", "+1", "white_check_mark", "eyes"];
const begin = Date.UTC(2024, 1, 3, 9);
const minute = 60_000;

/** `count` posts and their replies, with reactions, flags, files, followers and read states; and direct messages. */
export function mattermostExport(count: number, seed = 1): Buffer {
  const chance = new Chance(seed);
  const rows: object[] = [
    { type: "version", version: 1 },
    { type: "team", team: { name: "quay", display_name: "Quay" } },
  ];
  const channels = ["lamps", "dock", "vault"];
  for (const name of channels)
    rows.push({
      type: "channel",
      channel: {
        team: "quay",
        name,
        display_name: `The ${name}`,
        type: name === "vault" ? "P" : "O",
        header: "",
        purpose: "",
      },
    });
  const span = count * minute;
  for (const username of usernames)
    rows.push({
      type: "user",
      user: {
        username,
        email: `${username}@quay.example`,
        first_name: username.toUpperCase(),
        last_name: "Holt",
        roles: "system_user",
        delete_at: username === "sol" ? begin : 0,
        teams: [
          {
            name: "quay",
            channels: (username === "pim" ? channels.slice(0, 2) : channels).map((name) => ({
              name,
              last_viewed_at: begin + chance.below(span),
            })),
          },
        ],
      },
    });
  const files: [string, Buffer][] = [];
  const more = (at: number) => ({
    reactions: chance.some(usernames, 0.1).map((user) => ({ user, emoji_name: chance.of(emoji), create_at: at })),
    flagged_by: chance.some(usernames, 0.05),
    attachments: chance.isLucky(0.02) ? [{ path: addFile(files) }] : [],
  });
  for (let n = 0; n < count; n++) {
    const at = begin + n * minute;
    const replies = chance.isLucky(0.2) ? chance.below(4) : 0;
    rows.push({
      type: "post",
      post: {
        team: "quay",
        channel: chance.of(channels),
        user: chance.of(usernames),
        message: `Post ${n} for @${chance.of(usernames)} ${"and more ".repeat(chance.below(8))}`,
        create_at: at,
        ...more(at),
        replies: Array.from({ length: replies }, (_, reply) => {
          const time = at + (reply + 1) * 7 * minute;
          return { user: chance.of(usernames), message: `Reply ${n}.${reply}`, create_at: time, ...more(time) };
        }),
        thread_followers:
          replies > 0 ? [{ user: chance.of(usernames), last_viewed: at + chance.below(20) * minute }] : [],
      },
    });
  }
  const members = ["mara", "jonas"];
  rows.push({
    type: "direct_channel",
    direct_channel: {
      members,
      participants: members.map((username) => ({ username, last_viewed_at: begin + span / 2 })),
    },
  });
  for (let n = 0; n < count / 20; n++)
    rows.push({
      type: "direct_post",
      direct_post: {
        channel_members: members,
        user: chance.of(members),
        message: `Direct ${n}`,
        create_at: begin + n * minute,
      },
    });
  return zipOf([["import.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join("")], ...files]);
}

function addFile(files: [string, Buffer][]): string {
  const path = `2024/file ${files.length}.txt`;
  files.push([`data/${path}`, Buffer.from(`The content of file ${files.length}`)]);
  return path;
}
