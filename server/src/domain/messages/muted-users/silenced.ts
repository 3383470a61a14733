/**
 * Messages that are read because their sender is muted. They need no row or write of their own: the mute has a range of
 * message ids, which contains all messages while it lasts and ends with it. Marking one of these messages as unread
 * removes it from the range.
 */
import type { ReaderSql } from "../../channels/access.ts";

/** SQL for whether a message `m` is read for the reader because its sender is muted. */
export const isSilenced = ({ id }: Pick<ReaderSql, "id">): string => `exists (
    select from muted_users mute
    where mute.user_id = ${id} and mute.muted_user_id = m.sender_id and m.id <@ mute.silenced)`;
