import type { NavigationView } from "@skein/api/navigation-views.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";

export const listNavigationViews = (db: Db, user: User): Promise<NavigationView[]> =>
  db
    .selectFrom("navigation_views")
    .select(["fragment", "is_pinned", "name"])
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .orderBy("id")
    .execute();
