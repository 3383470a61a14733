/** Every endpoint there is; the one place that knows them all. */
import { fetchApiKey, regenerateApiKey } from "./authentication.ts";
import { getChannel, getChannels } from "./channels.ts";
import type { Endpoint } from "./endpoint.ts";
import { updateMessageFlags } from "./flags.ts";
import { addLinkifier, getLinkifiers, removeLinkifier, reorderLinkifiers, updateLinkifier } from "./linkifiers.ts";
import { getMessage, sendMessage } from "./messages.ts";
import { deleteQueue, getEvents, register } from "./registration.ts";
import { getServerSettings } from "./server-settings.ts";
import { getSubscriptions, subscribe, unsubscribe } from "./subscriptions.ts";
import { createUser, getOwnUser, getUser, getUserByEmail, getUsers } from "./users.ts";

export const endpoints: readonly Endpoint[] = [
  sendMessage,
  getMessage,
  updateMessageFlags,
  getChannels,
  getChannel,
  subscribe,
  getSubscriptions,
  unsubscribe,
  getUsers,
  createUser,
  getOwnUser,
  getUser,
  getUserByEmail,
  register,
  getEvents,
  deleteQueue,
  fetchApiKey,
  regenerateApiKey,
  getServerSettings,
  getLinkifiers,
  addLinkifier,
  updateLinkifier,
  removeLinkifier,
  reorderLinkifiers,
];
