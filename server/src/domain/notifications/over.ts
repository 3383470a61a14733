/**
 * The end of notifications of messages that were read, as parts of the statement that marks them so: reading costs no
 * further round trip. Rows are locked in the order of messages, as by everybody who changes several of them. Mail that waits no longer tells of them, and devices that show them are told to stop.
 */

/** `reader` is SQL for who read; `told (id)` holds the messages. */
export const notificationsOver = (reader: string): string => `
  missed as materialized (
    select m.message_id from missed_messages m join told on told.id = m.message_id
    where m.user_id = ${reader} order by m.message_id for update of m),
  no_longer_missed as (
    delete from missed_messages m using missed where m.user_id = ${reader} and m.message_id = missed.message_id),
  shown as materialized (
    select p.device_id, p.message_id from pushes p join told on told.id = p.message_id
    where p.user_id = ${reader} and not p.is_over order by p.message_id, p.device_id for update of p),
  no_longer_shown as (
    update pushes p set is_over = true, is_handed = false, due_at = now() from shown
    where p.device_id = shown.device_id and p.message_id = shown.message_id)`;
