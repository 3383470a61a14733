import type { StatePart } from "../../../events/state-part.ts";
import { listFolders } from "./queries.ts";

export const channelFolderState: StatePart = {
  types: ["channel_folders"],
  sharedBy: () => "",
  async load(db, { user }) {
    return { channel_folders: await listFolders(db, user.realm_id, { includeArchived: true }) };
  },
};
