/**
 * What is read because its sender is muted. Messages of somebody one has muted are read without a row or a write for
 * each: the mute itself has a range of message ids, which holds all of them while it lasts and ends with it. Whoever
 * makes one of these messages unread takes it out of the range.
 */
import type { ReaderSql } from "../channels/access.ts";

/** SQL for whether a message `m` is read for the reader because of who sent it. */
export const isSilenced = ({ id }: Pick<ReaderSql, "id">): string => `exists (
    select from muted_users mute
    where mute.user_id = ${id} and mute.muted_user_id = m.sender_id and m.id <@ mute.silenced)`;
