/**
 * Where settings are stored: how each kind is read, requested, and recognized in the server's events. A saved value is
 * shown at once as a pending operation; if the server refuses it, the old value is shown again.
 */
import type { Event } from "@skein/api/events.ts";
import { updateChannel } from "@skein/api/routes/channels.ts";
import { updateRealm } from "@skein/api/routes/realm-settings.ts";
import { updateDefaultSettings, updateSettings } from "@skein/api/routes/settings.ts";
import { updateSubscriptionSettings } from "@skein/api/routes/subscriptions.ts";
import { updateUserGroup } from "@skein/api/routes/user-groups.ts";
import { call } from "../api/call.ts";
import { findChannel } from "./channels.ts";
import { isSameGroupSetting } from "./group-settings.ts";
import { perform } from "./operations.ts";
import type { Change } from "./pending.ts";
import { part } from "./state.ts";

export interface SettingStore {
  /** Undefined if the setting does not exist here. */
  read: (name: string) => unknown;
  /** Resolves when the server has confirmed the value, rejects when it refuses. */
  save: (name: string, value: unknown, requested?: unknown) => Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;

/** The same value, as far as the server is concerned. */
const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && isSameGroupSetting(a, b));

/** Performs a change, and resolves when it is confirmed. */
export const confirmed = (change: Change, request: () => Promise<unknown>): Promise<void> =>
  new Promise((resolve, reject) => {
    perform({
      ...change,
      request,
      onEnd: (error) => {
        if (error === undefined) resolve();
        else reject(error instanceof Error ? error : new Error("The change failed", { cause: error }));
      },
    });
  });

/** The request's parameters are named at run time; the server validates them. */
const named = (name: string, value: unknown): Record<string, never> => ({ [name]: value as never });

/** A permission is requested together with its last known value, so that nobody's change is overwritten unseen. */
const permission = (value: unknown, old: unknown): unknown => ({ new: value, old });

const isPermission = (name: string): boolean => /^(can|create_multiuse|direct_message)_.*group(s)?$/.test(name);

const asRequested = (name: string, value: unknown, old: unknown): unknown =>
  isPermission(name) ? permission(value, old) : value;

export const personalSettings: SettingStore = {
  read: (name) => (part("user_settings").value as Fields | undefined)?.[name],
  save: (name, value, requested = value) =>
    confirmed(
      {
        key: `setting ${name}`,
        event: { type: "user_settings", op: "update", property: name, value: value as string },
      },
      () => call(updateSettings, named(name, requested)),
    ),
};

export const defaultSettings: SettingStore = {
  read: (name) => (part("realm_user_settings_defaults").value as Fields | undefined)?.[name],
  save: (name, value, requested = value) =>
    confirmed(
      {
        key: `default ${name}`,
        event: { type: "realm_user_settings_defaults", op: "update", property: name, value: value as string },
      },
      () => call(updateDefaultSettings, named(name, requested)),
    ),
};

/** Named without the prefix `realm_`. */
export const organizationSettings: SettingStore = {
  read: (name) => part(`realm_${name}` as "realm_name").value,
  save(name, value, requested = value) {
    const old = organizationSettings.read(name);
    return confirmed(
      {
        key: `organization ${name}`,
        event: { type: "realm", op: "update_dict", property: "default", data: { [name]: value } },
        isConfirmedBy: (event) => isSame(realmValue(event, name), value),
      },
      () => call(updateRealm, named(name, asRequested(name, requested, old))),
    );
  },
};

function realmValue(event: Event, name: string): unknown {
  if (event.type !== "realm") return undefined;
  if (event.op === "update") return event.property === name ? event.value : undefined;
  return event.op === "update_dict" ? event.data[name] : undefined;
}

/** The request's names for a channel's properties, where they differ. */
const channelParams: Readonly<Record<string, string>> = { name: "new_name", invite_only: "is_private" };

/** What the server makes of a text, so that its event is recognized. */
const asStored = (name: string, value: unknown): unknown => {
  if (typeof value !== "string") return value;
  return name === "name" ? value.trim() : value.replaceAll("\n", " ");
};

export const channelSettings = (channelId: number): SettingStore => ({
  read: (name) => (findChannel(channelId) as Fields | undefined)?.[name],
  save(name, entered, requested = entered) {
    const value = asStored(name, entered);
    const channel = findChannel(channelId);
    const old = (channel as Fields | undefined)?.[name];
    return confirmed(
      {
        key: `channel ${channelId} ${name}`,
        event: {
          type: "stream",
          op: "update",
          stream_id: channelId,
          name: channel?.name ?? "",
          property: name,
          value: value as string,
        },
        isConfirmedBy: (event) =>
          event.type === "stream" &&
          event.op === "update" &&
          event.stream_id === channelId &&
          event.property === name &&
          isSame(event.value, value),
      },
      () =>
        call(updateChannel, {
          stream_id: channelId,
          ...named(channelParams[name] ?? name, asRequested(name, requested, old)),
        }),
    );
  },
});

export const subscriptionSettings = (channelId: number): SettingStore => ({
  read: (name) => (findChannel(channelId) as Fields | undefined)?.[name],
  save: (name, value, requested = value) =>
    confirmed(
      {
        key: `subscription ${channelId} ${name}`,
        event: { type: "subscription", op: "update", stream_id: channelId, property: name, value: value as string },
        isConfirmedBy: (event) =>
          event.type === "subscription" &&
          event.op === "update" &&
          event.stream_id === channelId &&
          event.property === name &&
          event.value === value,
      },
      () =>
        call(updateSubscriptionSettings, {
          subscription_data: [{ stream_id: channelId, property: name, value: requested as string }],
        }),
    ),
});

export const groupSettings = (groupId: number): SettingStore => ({
  read: (name) => (part("realm_user_groups").value?.find(({ id }) => id === groupId) as Fields | undefined)?.[name],
  save(name, value, requested = value) {
    const old = groupSettings(groupId).read(name);
    return confirmed(
      {
        key: `group ${groupId} ${name}`,
        event: { type: "user_group", op: "update", group_id: groupId, data: { [name]: value } },
        isConfirmedBy: (event) =>
          event.type === "user_group" &&
          event.op === "update" &&
          event.group_id === groupId &&
          isSame((event.data as Fields)[name], value),
      },
      () => call(updateUserGroup, { user_group_id: groupId, ...named(name, asRequested(name, requested, old)) }),
    );
  },
});
