/** Events about bots, for the users who may administer them: their owners and human administrators. */
import type { Audience } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { EmittedEvent } from "../../../events/log-format.ts";
import type { EventShape } from "../../../events/queue.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { openBot, openChange, withoutPlainUrl, type SealedBot, type SealedChange } from "./sealed-bot.ts";

interface AddedEvent extends EmittedEvent {
  op: "add";
  sealed: SealedBot;
}

interface ChangedEvent extends EmittedEvent {
  op: "update";
  user_id: number;
  change: SealedChange;
}

/** Bots receive no events about bots, whatever their role, because the events contain API keys. */
export const toBotAdministrators = (ownerId: number | null): Audience => ({
  administrators: true,
  users: ownerId === null ? [] : [ownerId],
  exceptBots: true,
});

export function emitBot(tx: Tx, realmId: number, audience: Audience, bot: SealedBot): void {
  const sealed = { ...bot, service: withoutPlainUrl(bot.service) };
  const event: AddedEvent = { type: "realm_bot", op: "add", sealed };
  emit(tx, realmId, audience, event);
}

interface ChangedBot {
  id: number;
  realm_id: number;
  bot_owner_id: number | null;
}

export function emitBotChange(tx: Tx, bot: ChangedBot, change: SealedChange): void {
  emitChange(tx, bot, toBotAdministrators(bot.bot_owner_id), change);
}

export function emitChange(
  tx: Tx,
  bot: Pick<ChangedBot, "id" | "realm_id">,
  audience: Audience,
  change: SealedChange,
): void {
  const event: ChangedEvent = { type: "realm_bot", op: "update", user_id: bot.id, change };
  emit(tx, bot.realm_id, audience, event);
}

export function emitLostBot(tx: Tx, realmId: number, audience: Audience, botId: number): void {
  emit(tx, realmId, audience, { type: "realm_bot", op: "delete", bot: { user_id: botId } });
}

// Only the functions above emit events of this type.
const isAdded = (event: EmittedEvent): event is AddedEvent => event.op === "add";
const isChanged = (event: EmittedEvent): event is ChangedEvent => event.op === "update";

/** Secrets are sealed in the log, so that its files hold none in plain text, and opened on delivery. */
export const botShape = (box: SecretBox): EventShape => ({
  variant: (_, { user }) => String(user.role),
  shape: (event, { user }) => {
    if (isAdded(event)) return { type: "realm_bot", op: "add", bot: openBot(box, user, event.sealed) };
    if (!isChanged(event)) return event;
    const { user_id, change } = event;
    return { type: "realm_bot", op: "update", bot: { user_id, ...openChange(box, user, user_id, change) } };
  },
});
