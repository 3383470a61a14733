/** An organization's compiled linkifiers, cached by each node. */
import { maxLinkifiers } from "@skein/api/linkifiers.ts";
import type { TxContext } from "../../../context.ts";
import type { Realm } from "../../../identity/account.ts";
import type { CompiledLinkifier } from "../../../markdown/linkifier.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { compileLinkifier } from "./compile.ts";
import { listLinkifiers } from "./queries.ts";

/** Compiled once per version of the organization, which every change of a linkifier raises. */
export const compiledLinkifiers = ({ memory }: TxContext, db: Db, realm: Realm): Promise<CompiledLinkifier[]> =>
  memory.linkifiers.get(db, realm, async () => {
    const stored = await listLinkifiers(db, realm.id);
    return stored.slice(0, maxLinkifiers).map(compileLinkifier);
  });
