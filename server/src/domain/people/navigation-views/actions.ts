import type { ParamsOf } from "@skein/api/endpoint.ts";
import { builtInViews, type addNavigationView, type NavigationView } from "@skein/api/navigation-views.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

const isBuiltIn = (fragment: string): boolean => builtInViews.some((known) => known === fragment);

const alreadyExists = () => new ApiError("Navigation view already exists.");

export async function addView(tx: Tx, user: User, params: ParamsOf<typeof addNavigationView>): Promise<void> {
  const fragment = params.fragment.trim();
  if (fragment === "") throw new ApiError("fragment cannot be blank");
  const name = readName(fragment, params.name);
  if (name === null && !isBuiltIn(fragment)) throw new ApiError("Custom views must have a name.");
  // Either of two indexes may refuse it.
  const added = await tx
    .insertInto("navigation_views")
    .values({ realm_id: user.realm_id, user_id: user.id, fragment, is_pinned: params.is_pinned, name })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!added) throw alreadyExists();
  const navigation_view: NavigationView = { fragment, is_pinned: params.is_pinned, name };
  emit(tx, user.realm_id, toUser(user.id), { type: "navigation_view", op: "add", navigation_view });
}

/** Omitted fields stay unchanged. Emits nothing when nothing changes. */
export async function updateView(
  tx: Tx,
  user: User,
  fragment: string,
  { is_pinned, name: given }: { is_pinned?: boolean | undefined; name?: string | undefined },
): Promise<void> {
  await lockViews(tx, user);
  const view = await accessViewForUpdate(tx, user, fragment);
  const name = readName(fragment, given);
  const data = {
    ...(is_pinned === undefined || is_pinned === view.is_pinned ? {} : { is_pinned }),
    ...(name === null || name === view.name ? {} : { name }),
  };
  if (Object.keys(data).length === 0) return;
  if (data.name !== undefined && (await isNameTaken(tx, user, data.name))) throw alreadyExists();
  await tx.updateTable("navigation_views").set(data).where("id", "=", view.id).execute();
  emit(tx, user.realm_id, toUser(user.id), { type: "navigation_view", op: "update", fragment, data });
}

export async function removeView(tx: Tx, user: User, fragment: string): Promise<void> {
  const view = await accessViewForUpdate(tx, user, fragment);
  await tx.deleteFrom("navigation_views").where("id", "=", view.id).execute();
  emit(tx, user.realm_id, toUser(user.id), { type: "navigation_view", op: "remove", fragment });
}

/** Null: none. */
function readName(fragment: string, given: string | undefined): string | null {
  const name = given?.trim() ?? "";
  if (name === "") return null;
  if (isBuiltIn(fragment)) throw new ApiError("Built-in views cannot have a custom name.");
  return name;
}

/** The user's own view, locked until the transaction ends. Views of others give the same error as missing ones. */
async function accessViewForUpdate(tx: Tx, user: User, fragment: string) {
  const view = await tx
    .selectFrom("navigation_views")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .where("fragment", "=", fragment)
    .forUpdate()
    .executeTakeFirst();
  if (!view) throw new ApiError("Navigation view does not exist.", { status: 404 });
  return view;
}

/** Serializes the user's changes of names. */
const lockViews = (tx: Tx, user: User) =>
  sql`select from navigation_views where user_id = ${user.id} order by id for update`.execute(tx);

async function isNameTaken(tx: Tx, user: User, name: string): Promise<boolean> {
  const taken = await tx
    .selectFrom("navigation_views")
    .select("id")
    .where("user_id", "=", user.id)
    .where("name", "=", name)
    .executeTakeFirst();
  return taken !== undefined;
}
