import { maxLinkifiers } from "@skein/api/linkifiers.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isAllowedScheme, splitUrl } from "../../../markdown/url-policy.ts";
import { accessLinkifierForUpdate, accessLinkifiersForUpdate } from "./access.ts";
import { findErrors, type LinkifierText } from "./compile.ts";
import { listLinkifiers } from "./queries.ts";

/** Returns its id. A new linkifier is tried last. */
export async function addLinkifier(tx: Tx, actor: User, linkifier: LinkifierText): Promise<number> {
  const present = await accessLinkifiersForUpdate(tx, actor);
  if (present.length >= maxLinkifiers)
    throw new ApiError(`An organization cannot have more than ${maxLinkifiers} linkifiers.`);
  const { pattern, url_template } = checked(linkifier);
  const { realm_id } = actor;
  const { id } = await tx
    .insertInto("realm_linkifiers")
    .values({
      realm_id,
      pattern,
      url_template,
      position: sql<number>`(select coalesce(max(position), 0) + 1 from realm_linkifiers where realm_id = ${realm_id})`,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await emitLinkifiers(tx, realm_id);
  return id;
}

export async function updateLinkifier(tx: Tx, actor: User, id: number, linkifier: LinkifierText): Promise<void> {
  await accessLinkifierForUpdate(tx, actor, id);
  await tx
    .updateTable("realm_linkifiers")
    .set(checked(linkifier))
    .where("realm_id", "=", actor.realm_id)
    .where("id", "=", id)
    .execute();
  await emitLinkifiers(tx, actor.realm_id);
}

export async function removeLinkifier(tx: Tx, actor: User, id: number): Promise<void> {
  await accessLinkifierForUpdate(tx, actor, id);
  await tx.deleteFrom("realm_linkifiers").where("realm_id", "=", actor.realm_id).where("id", "=", id).execute();
  await emitLinkifiers(tx, actor.realm_id);
}

export async function reorderLinkifiers(tx: Tx, actor: User, ids: number[]): Promise<void> {
  const linkifiers = await accessLinkifiersForUpdate(tx, actor);
  const named = new Set(ids);
  if (named.size < ids.length) throw new ApiError("The ordered list must not contain duplicated linkifiers");
  if (linkifiers.length !== ids.length || linkifiers.some(({ id }) => !named.has(id)))
    throw new ApiError("The ordered list must enumerate all existing linkifiers exactly once");
  if (ids.length === 0) return;
  await sql`
    update realm_linkifiers set position = new.position
    from unnest(${ids}::bigint[]) with ordinality as new (id, position)
    where realm_linkifiers.realm_id = ${actor.realm_id} and realm_linkifiers.id = new.id`.execute(tx);
  await emitLinkifiers(tx, actor.realm_id);
}

function checked(linkifier: LinkifierText): LinkifierText {
  const pattern = linkifier.pattern.trim();
  const url_template = linkifier.url_template.trim();
  const errors = { ...schemeError(url_template), ...findErrors(pattern, url_template) };
  const [first] = Object.values(errors).flat();
  if (first !== undefined) throw new ApiError(first, { data: { errors } });
  return { pattern, url_template };
}

/** Checks a scheme written in the template. A scheme that comes from the matched text is checked when a link is made. */
function schemeError(template: string): Record<string, string[]> {
  const scheme = splitUrl(template)?.scheme ?? "";
  return isAllowedScheme(scheme) ? {} : { url_template: [`Links to ${scheme}: URLs are not allowed`] };
}

async function emitLinkifiers(tx: Tx, realmId: number): Promise<void> {
  const realm_linkifiers = await listLinkifiers(tx, realmId);
  emit(tx, realmId, toEveryone, { type: "realm_linkifiers", realm_linkifiers });
}
