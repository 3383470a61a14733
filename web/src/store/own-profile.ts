/** The reader's own profile: name, picture, status, and the values of the organization's profile fields. */
import { signal } from "@preact/signals";
import { removeOwnAvatar, uploadOwnAvatar } from "@skein/api/routes/avatars.ts";
import { updateOwnProfile } from "@skein/api/routes/profile-fields.ts";
import { updateSettings } from "@skein/api/routes/settings.ts";
import { updateStatus } from "@skein/api/routes/status.ts";
import { getUser } from "@skein/api/routes/users.ts";
import type { ProfileData } from "@skein/api/users.ts";
import { call } from "../api/call.ts";
import type { Emoji } from "../text/emoji.ts";
import { onEvent } from "./events.ts";
import { isAdministrator } from "./roles.ts";
import { ownId, part } from "./state.ts";

export const saveName = (full_name: string): Promise<unknown> => call(updateSettings, { full_name });

export const savePicture = (file: File): Promise<unknown> => call(uploadOwnAvatar, {}, { file });
export const removePicture = (): Promise<unknown> => call(removeOwnAvatar, {});

/** Administrators always may. */
export const canChangeName = (): boolean =>
  isAdministrator() || !(part("realm_name_changes_disabled").value || part("server_name_changes_disabled").value);

export const canChangePicture = (): boolean =>
  isAdministrator() || !(part("realm_avatar_changes_disabled").value || part("server_avatar_changes_disabled").value);

export const ownStatus = () => part("user_status").value?.[String(ownId.value)];

export const saveStatusText = (status_text: string): Promise<unknown> => call(updateStatus, { status_text });

/** Undefined: none. */
export const saveStatusEmoji = (emoji: Emoji | undefined): Promise<unknown> =>
  call(
    updateStatus,
    emoji
      ? { emoji_name: emoji.name, emoji_code: emoji.emoji_code, reaction_type: emoji.reaction_type }
      : { emoji_name: "" },
  );

export const clearStatus = (): Promise<unknown> => call(updateStatus, { status_text: "", emoji_name: "" });

/** The values by the fields' ids. They are not part of the registration response; undefined until they are fetched. */
const values = signal<ProfileData | undefined>(undefined);

let isFollowing = false;

/** Values change by events from then on. */
export async function fetchOwnFields(): Promise<void> {
  if (!isFollowing) {
    isFollowing = true;
    onEvent((event) => {
      if (event.type !== "realm_user" || event.op !== "update" || event.person.user_id !== ownId.peek()) return;
      if (!("custom_profile_field" in event.person)) return;
      const { id, value } = event.person.custom_profile_field;
      const { [id]: _, ...others } = values.peek() ?? {};
      values.value = value === null ? others : { ...others, [id]: { value } };
    });
  }
  const { user } = await call(getUser, { user_id: ownId.peek(), include_custom_profile_fields: true });
  values.value = user.profile_data ?? {};
}

/** The value of a field; empty if there is none. */
export const ownField = (id: number): string => values.value?.[id]?.value ?? "";

/** An empty value is removed. */
export const saveField = (id: number, value: string): Promise<unknown> =>
  call(updateOwnProfile, { data: [{ id, value: value === "" ? null : value }] });
