/** The users and channels of a run: created once, and not changed during the run. */
import { setTimeout as delay } from "node:timers/promises";
import { createClient, type Client } from "../api/src/client.ts";
import { subscribe } from "../api/src/subscriptions.ts";
import { getOwnUser } from "../api/src/users.ts";
import { createRealm } from "../server/src/domain/organization/realm/create.ts";
import { newKey } from "../server/src/domain/people/auth/api-keys.ts";
import { hashKey } from "../server/src/identity/sessions.ts";
import { transaction, type Tx } from "../server/src/platform/db/transaction.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

export interface Member {
  id: number;
  name: string;
  /** One for each node, or for each router. */
  clients: readonly Client[];
  /** Names of the channels this member is subscribed to. */
  channels: readonly string[];
}

export interface Organization {
  owner: Member;
  members: readonly Member[];
  channels: readonly string[];
}

export interface Size {
  members: number;
  channels: number;
}

const maxSubscriptions = 4;
const listedMilliseconds = 60_000;

interface Origin {
  /** Its names, if it is not the only one. */
  realm?: { string_id: string; host: string };
  /** Where it is reached, if not at the nodes themselves. */
  urls?: readonly string[];
  /** Creates it in another way than this release does, and returns its short name. */
  create?: () => Promise<string>;
}

export async function makeOrganization(
  world: World,
  random: Random,
  size: Size,
  { realm: names, urls = world.nodes, create }: Origin = {},
): Promise<Organization> {
  const people = ["owner", ...Array.from({ length: size.members }, (_, index) => `member-${index + 1}`)];
  const created = await create?.();
  const accounts = await transaction(world.db, "make the organization", async (tx) => {
    const realm =
      created === undefined
        ? await createRealm(tx, { string_id: "", ...names, name: "Faults" })
        : await tx.selectFrom("realms").select("id").where("string_id", "=", created).executeTakeFirstOrThrow();
    const made: Account[] = [];
    for (const name of people) made.push(await addAccount(tx, realm.id, name));
    return made;
  });
  const channels = Array.from({ length: size.channels }, (_, index) => `channel-${index + 1}`);
  const everybody = accounts.map(({ id, name, email, apiKey }, index): Member => ({
    id,
    name,
    clients: urls.map((site) => createClient({ site, email, apiKey })),
    // The owner is in all of them; a few members are in none and get only direct messages.
    channels: index === 0 ? channels : random.sample(channels, random.integer(maxSubscriptions + 1)),
  }));
  const [owner, ...members] = everybody;
  if (!owner) throw new Error("the owner is the first of them");
  await untilFound(owner);
  for (const channel of channels) await fill(owner, channel, everybody);
  return { owner, members, channels };
}

interface Account {
  id: number;
  name: string;
  email: string;
  apiKey: string;
}

/** Fills only columns that the previous release has as well. */
async function addAccount(tx: Tx, realm_id: number, name: string): Promise<Account> {
  const email = `${name}@example.com`;
  const { id } = await tx
    .insertInto("users")
    .values({ realm_id, delivery_email: email, full_name: name, role: name === "owner" ? 100 : 400 })
    .returning("id")
    .executeTakeFirstOrThrow();
  const apiKey = newKey();
  await tx
    .insertInto("api_keys")
    .values({ realm_id, user_id: id, key_hash: hashKey(apiKey), client_name: "faults" })
    .execute();
  return { id, name, email, apiKey };
}

/** A new organization is listed in the directory after a few seconds. */
async function untilFound({ clients }: Member): Promise<void> {
  const deadline = performance.now() + listedMilliseconds;
  for (const client of clients) {
    const isFound = async () => (await client.call(getOwnUser, {}).catch(() => undefined))?.result === "success";
    while (!(await isFound())) {
      if (performance.now() > deadline) throw new Error("the organization cannot be reached");
      await delay(100);
    }
  }
}

async function fill(owner: Member, channel: string, everybody: Member[]): Promise<void> {
  const principals = everybody.filter((member) => member.channels.includes(channel)).map((member) => member.id);
  const answer = await owner.clients[0]?.call(subscribe, { subscriptions: [{ name: channel }], principals });
  if (answer?.result !== "success") throw new Error(`${channel} could not be made: ${JSON.stringify(answer)}`);
}
