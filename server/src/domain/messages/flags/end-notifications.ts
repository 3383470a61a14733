/**
 * Ends the notifications of messages that were read: pending mail no longer mentions them, and devices that show them
 * remove them. These are parts of the statement that marks the messages as read, so that reading needs no further round
 * trip. Rows are locked in message order, as everywhere several of them change.
 */

/** `reader` is SQL for the id of the reader; `emitted (id)` holds the messages. */
export const endNotifications = (reader: string): string => `
  missed as materialized (
    select m.message_id from missed_messages m join emitted on emitted.id = m.message_id
    where m.user_id = ${reader} order by m.message_id for update of m),
  no_longer_missed as (
    delete from missed_messages m using missed where m.user_id = ${reader} and m.message_id = missed.message_id),
  shown as materialized (
    select p.device_id, p.message_id from pushes p join emitted on emitted.id = p.message_id
    where p.user_id = ${reader} and not p.is_over order by p.message_id, p.device_id for update of p),
  no_longer_shown as (
    update pushes p set is_over = true, is_handed = false, due_at = now() from shown
    where p.device_id = shown.device_id and p.message_id = shown.message_id)`;
