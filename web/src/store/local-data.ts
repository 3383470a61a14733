/**
 * The data an account leaves in the browser: unsent messages, drafts, edits, recently used items. It is erased when the
 * account logs out or another account takes its place.
 */
import { bindAccount } from "../api/session.ts";
import { Database } from "./database.ts";
import { closeStorage, removeStored, storedKeys } from "./storage.ts";
import { onTabMessage, postToTabs } from "./tabs.ts";

let database: Database | undefined;

/** Runs once the account is known. */
export function startLocalData(userId: number): Database {
  database = new Database(userId);
  bindAccount(userId, () => eraseLocalData(userId));
  onTabMessage((message) => {
    if (message.type !== "signed out" || message.userId !== userId) return;
    // Erase here as well: a write may have been in flight when the other tab erased the data.
    void erase(userId).finally(() => location.assign("/login/"));
  });
  return database;
}

/** Erases everything stored for this account, in all tabs. */
async function eraseLocalData(userId: number): Promise<void> {
  postToTabs({ type: "signed out", userId });
  await erase(userId);
}

/** How long logging out waits for a browser that does not respond. */
const maxEraseTime = 2000;

async function erase(userId: number): Promise<void> {
  closeStorage();
  const keys = [`skein-drafts-${userId}-`, `skein-edit-${userId}-`].flatMap(storedKeys);
  for (const key of [...keys, `skein-drafts-${userId}`, "skein.recent-emoji"]) removeStored("local", key);
  removeStored("session", "skein-kept");
  const erased = database?.erase().catch(() => undefined);
  await Promise.race([erased, new Promise((resume) => setTimeout(resume, maxEraseTime))]);
}
