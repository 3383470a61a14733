import { maxUserGroupDescriptionLength, maxUserGroupNameLength } from "@skein/api/user-groups.ts";
import { sql } from "kysely";
import type { Tx } from "../../../../../platform/db/transaction.ts";
import { deactivateGroup } from "../../../../administration/user-groups/activation.ts";
import { createGroup } from "../../../../administration/user-groups/create.ts";
import { updateMembership } from "../../../../administration/user-groups/members.ts";
import { truncate } from "../../../../base/truncate.ts";
import type { SourceExtras, SourceGroup } from "../../source.ts";
import type { Import } from "../import-context.ts";
import { recall } from "../map.ts";
import { storeOne } from "./store-one.ts";

/**
 * User groups, then which of them are in others, then which are deactivated: each needs the one before. A group of the same
 * name may have permissions here, so nobody is put into it: the imported one gets another name.
 */
export async function storeGroups(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const people = await recall(run.db, run, "person");
  const ids = await recall(run.db, run, "group");
  for await (const group of extras.groups()) {
    if (ids.has(group.id)) continue;
    const item = { kind: "group", key: group.id, what: `the group ${group.name}`, checkpoint } as const;
    ids.set(group.id, await storeOne(run, item, (tx) => create(tx, run, group, people)));
  }
  await storeSubgroups(run, extras, checkpoint, ids);
  const done = await recall(run.db, run, "group");
  for await (const group of extras.groups()) {
    const id = ids.get(group.id) ?? 0;
    const key = `${group.id}/deactivated`;
    if (group.isActive || id === 0 || done.has(key)) continue;
    await storeOne(run, { kind: "group", key, what: `that ${group.name} is deactivated`, checkpoint }, async (tx) => {
      await deactivateGroup(tx, run.owner, id);
      return id;
    });
  }
}

async function storeSubgroups(
  run: Import,
  extras: SourceExtras,
  checkpoint: number,
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const done = await recall(run.db, run, "group");
  for await (const group of extras.groups())
    for (const subgroup of group.subgroups) {
      const [id = 0, inside = 0] = [ids.get(group.id), ids.get(subgroup)];
      const key = `${group.id}/${subgroup}`;
      if (id === 0 || inside === 0 || done.has(key)) continue;
      await storeOne(run, { kind: "group", key, what: `a group in ${group.name}`, checkpoint }, async (tx) => {
        const none = { add: [], delete: [], delete_subgroups: [] };
        await updateMembership(tx, run.owner, id, { ...none, add_subgroups: [inside] });
        return inside;
      });
    }
}

async function create(tx: Tx, run: Import, group: SourceGroup, people: ReadonlyMap<string, number>): Promise<number> {
  const { owner, realmId } = run;
  const members = [...new Set(group.members.flatMap((member) => people.get(member) ?? []))];
  const { rows } = await sql<{ id: number; is_active: boolean }>`
    select id, is_active from users where realm_id = ${realmId} and id = any(${members}::bigint[])`.execute(tx);
  const id = await createGroup(tx, owner, {
    name: await freeName(tx, run, group.name),
    description: truncate(group.description, maxUserGroupDescriptionLength, "…"),
    members: rows.filter(({ is_active }) => is_active).map((row) => row.id),
    subgroups: [],
    permissions: {},
  });
  // They are members again when they are reactivated.
  const inactive = rows.filter(({ is_active }) => !is_active).map((row) => row.id);
  await sql`
    insert into user_group_members (group_id, user_id, realm_id)
    select ${id}, member, ${realmId} from unnest(${inactive}::bigint[]) as member`.execute(tx);
  return id;
}

async function freeName(tx: Tx, { realmId, source }: Import, wanted: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const suffix = attempt === 1 ? "" : ` (${source.name}${attempt === 2 ? "" : ` ${attempt - 1}`})`;
    const name = truncate(wanted.trim(), maxUserGroupNameLength - suffix.length, "…") + suffix;
    const { rows } = await sql`
      select from user_groups where realm_id = ${realmId} and lower(name) = lower(${name})`.execute(tx);
    if (rows.length === 0) return name;
  }
}
