/**
 * The people of large organizations as registrations return them: serialized and compressed once for all readers who see the same,
 * in blocks of neighboring ids, so that a change of one person costs one block.
 *
 * **Invariant:** a block is used only if the rows it was made of are the rows of the reader's snapshot. They are compared by the
 * transactions that wrote them (xmin), which the marks of `readMarks` sum up. What else a block depends on is part of its key: the
 * organization, its host, the roles that see the same e-mail addresses, whether the client computes avatars, and the epoch of the
 * log, because a restored database uses transaction ids again.
 */
import { roles, type UserObject, type RegisteredUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Moment } from "../../../events/state-part.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { comma, SharedText } from "../../../platform/shared-text.ts";
import { profilesOf } from "../profile-fields/queries.ts";
import { canSeeAddress } from "./email.ts";
import { accountColumns, toUserObject, type Account, type Presentation } from "./queries.ts";

/** The lists of a registration, and who is in each. */
export const lists = ["realm_users", "realm_non_active_users", "cross_realm_bots"] as const;
type List = (typeof lists)[number];

export const listOf = ({ is_system_bot, is_active }: Pick<Account, "is_system_bot" | "is_active">): List =>
  is_system_bot ? "cross_realm_bots" : is_active ? "realm_users" : "realm_non_active_users";

export const toRegistered = (
  { is_active: _, ...shown }: UserObject,
  { is_system_bot }: Account,
): RegisteredUser & { is_system_bot?: true } => (is_system_bot ? { ...shown, is_system_bot } : shown);

const idsPerBlock = 256;
const maxCachedBytes = 64 * 1024 ** 2;

/** JSON objects separated by commas; none is empty. */
type Block = { mark: string } & Partial<Record<List, SharedText>>;

/** How the people are shown, apart from the reader's own address. */
interface View extends Omit<Presentation, "profileOf"> {
  /** The least privileged role that sees the same addresses as the reader's. */
  role: number;
}

interface Cached {
  blocks: Map<number, Block>;
  bytes: number;
}

/** Blocks by view, the least recently used first. */
export class PeopleTexts {
  readonly #views = new Map<string, Cached>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  clear(): void {
    this.#views.clear();
    this.#bytes = 0;
  }

  /** The JSON of the three lists, for a reader who sees all users. */
  async load(db: Db, reader: User, how: Omit<View, "role">, moment: Moment): Promise<SharedText[]> {
    const view = { ...how, role: seesLike(reader.role) };
    const key = [moment.epoch, reader.realm_id, view.role, view.client_gravatar, view.host].join(" ");
    const blocks = await moment.once(this, key, () => this.#current(db, reader.realm_id, view, key, moment));
    const own = canSeeAddress({ id: 0, role: view.role }, reader) ? undefined : reader;
    return lists.flatMap((list, index) => [
      opening(list, index),
      ...listTexts([...blocks].map(([id, block]) => withOwn(block[list], own, id))),
      closing,
    ]);
  }

  /** The blocks of the snapshot; cached ones if they are the same there. */
  async #current(db: Db, realmId: number, view: View, key: string, moment: Moment): Promise<Map<number, Block>> {
    const marks = await moment.once(readMarks, String(realmId), () => readMarks(db, realmId));
    const known = this.#views.get(key)?.blocks ?? new Map<number, Block>();
    const changed = [...marks].filter(([id, mark]) => known.get(id)?.mark !== mark).map(([id]) => id);
    const fresh = changed.length > 0 ? await makeBlocks(db, realmId, view, changed, marks) : new Map<number, Block>();
    const current = new Map(
      [...marks.keys()].flatMap((id) => {
        const block = fresh.get(id) ?? known.get(id);
        return block ? [[id, block] as const] : [];
      }),
    );
    this.#keep(key, current);
    return current;
  }

  #keep(key: string, blocks: Map<number, Block>): void {
    this.#bytes -= this.#views.get(key)?.bytes ?? 0;
    this.#views.delete(key);
    const bytes = [...blocks.values()].reduce((sum, block) => sum + bytesOf(block), 0);
    this.#views.set(key, { blocks, bytes });
    this.#bytes += bytes;
    for (const [oldest, cached] of this.#views) {
      if (this.#bytes <= maxCachedBytes) break;
      this.#views.delete(oldest);
      this.#bytes -= cached.bytes;
    }
  }
}

const bytesOf = (block: Block): number => lists.reduce((sum, list) => sum + (block[list]?.bytes.length ?? 0), 0);

/** Administrators see the addresses that owners see. */
const seesLike = (role: number): number => (role === roles.owner ? roles.administrator : role);

const openings = lists.map((list, index) => new SharedText(`${index > 0 ? "," : ""}"${list}":[`));
const opening = (list: List, index: number): SharedText => openings[index] ?? new SharedText(`"${list}":[`);
const closing = new SharedText("]");

function listTexts(texts: readonly (SharedText | undefined)[]): SharedText[] {
  const present = texts.filter((text) => text !== undefined);
  return present.flatMap((text, index) => (index > 0 ? [comma, text] : [text]));
}

/** A reader always sees their own address. */
function withOwn(text: SharedText | undefined, own: User | undefined, id: number): SharedText | undefined {
  if (!text || !own || blockOf(own.id) !== id) return text;
  const people = JSON.parse(`[${text.text}]`) as RegisteredUser[]; // made below
  const shown = people.map((person) =>
    person.user_id === own.id ? { ...person, delivery_email: own.delivery_email } : person,
  );
  return new SharedText(JSON.stringify(shown).slice(1, -1));
}

const blockOf = (userId: number): number => Math.floor(userId / idsPerBlock);

/** For each block, in the order of ids, which transactions wrote its accounts and profiles. */
async function readMarks(db: Db, realmId: number): Promise<Map<number, string>> {
  const { rows } = await sql<{ block: number; mark: string }>`
    select u.block, u.mark || ' ' || coalesce(p.mark, '') as mark
    from (
      select id / ${idsPerBlock}::bigint as block, count(*) || ' ' || bit_xor(hash_record_extended(row(id, xmin), 0)) as mark
      from users where realm_id = ${realmId} group by 1) as u
    left join (
      select user_id / ${idsPerBlock}::bigint as block, count(*) || ' '
        || bit_xor(hash_record_extended(row(user_id, field_id, xmin), 0)) as mark
      from custom_profile_values where realm_id = ${realmId} group by 1) as p on p.block = u.block
    order by u.block`.execute(db);
  return new Map(rows.map(({ block, mark }) => [block, mark]));
}

async function makeBlocks(
  db: Db,
  realmId: number,
  { role, ...how }: View,
  ids: readonly number[],
  marks: ReadonlyMap<number, string>,
): Promise<Map<number, Block>> {
  const accounts: Account[] = await db
    .selectFrom("users")
    .select(accountColumns)
    .where("realm_id", "=", realmId)
    .where(sql<boolean>`id / ${idsPerBlock}::bigint = any(${ids}::bigint[])`)
    .orderBy("id")
    .execute();
  const profileOf = await profilesOf(
    db,
    realmId,
    accounts.map((account) => account.id),
  );
  const nobody = { id: 0, role };
  const shown = new Map<number, Partial<Record<List, string[]>>>();
  for (const account of accounts) {
    const inBlock = shown.get(blockOf(account.id)) ?? {};
    shown.set(blockOf(account.id), inBlock);
    const text = JSON.stringify(toRegistered(toUserObject(nobody, account, { ...how, profileOf }), account));
    (inBlock[listOf(account)] ??= []).push(text);
  }
  return new Map(
    ids.map((id) => {
      const block: Block = { mark: marks.get(id) ?? "" };
      for (const list of lists) {
        const texts = shown.get(id)?.[list];
        if (texts) block[list] = new SharedText(texts.join(","));
      }
      return [id, block];
    }),
  );
}
