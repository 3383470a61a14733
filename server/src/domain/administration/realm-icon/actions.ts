import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { SentFile } from "../../../http/form.ts";
import type { Realm, User } from "../../../identity/account.ts";
import { CommitOutcomeUnknown, transaction, type Tx } from "../../../platform/db/transaction.ts";
import { pictureUrl, type RealmPicture } from "../../organization/realm/icon.ts";
import { pictureKey, storePicture } from "./file.ts";
import { audited, type Caller } from "../../organization/audit/audited.ts";

/** Throws unless the user may change the organization's pictures. */
export function accessRealmPictures({ role }: User): void {
  if (role > roles.administrator) throw new ApiError("Must be an organization administrator");
}

type Stores = Pick<Context, "db" | "files">;

/** Who changes a picture: a request, which is recorded, or an import. */
interface Actor {
  user: User;
  request?: Caller["request"];
}

/** Stores the file before the event is emitted, and removes it on failure. Returns the new URL. */
export async function uploadPicture(
  ctx: Stores,
  actor: Actor,
  which: RealmPicture,
  files: SentFile[],
): Promise<string> {
  const key = await storePicture(ctx.files, actor.user, which, files);
  try {
    return await replacePicture(ctx, actor, which, key);
  } catch (error) {
    if (!(error instanceof CommitOutcomeUnknown)) await ctx.files.remove(pictureKey(key));
    throw error;
  }
}

/** Returns the URL of the default picture. */
export const removePicture = (ctx: Context, actor: Actor, which: RealmPicture): Promise<string> =>
  replacePicture(ctx, actor, which, null);

async function replacePicture(ctx: Stores, actor: Actor, which: RealmPicture, key: string | null): Promise<string> {
  const { user, request } = actor;
  const id = user.realm_id;
  const { url, replaced } = await transaction(ctx.db, "change a picture of the organization", (tx) =>
    request
      ? audited(tx, { user, request }, { kind: "realm", id, action: "realm.update" }, () =>
          setPicture(tx, id, which, key),
        )
      : setPicture(tx, id, which, key),
  );
  if (replaced !== null) await ctx.files.remove(pictureKey(replaced));
  return url;
}

async function setPicture(tx: Tx, realmId: number, which: RealmPicture, key: string | null) {
  const column = (name: "key" | "source" | "version") => sql.ref(`${which}_${name}`);
  const before = await tx
    .selectFrom("realms")
    .selectAll()
    .where("id", "=", realmId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const unset = which === "icon" ? "G" : "D";
  const { rows } = await sql<Realm>`
    update realms set ${column("key")} = ${key}, ${column("source")} = ${key === null ? unset : "U"},
      ${column("version")} = ${column("version")} + 1
    where id = ${realmId} returning *`.execute(tx);
  const [realm] = rows;
  if (!realm) throw new Error("unreachable: the row is locked above");
  const url = pictureUrl(realm, which);
  emit(tx, realmId, toEveryone, {
    type: "realm",
    op: "update_dict",
    property: which,
    data: { [`${which}_url`]: url, [`${which}_source`]: realm[`${which}_source`] },
  });
  return { url, replaced: before[`${which}_key`] };
}
