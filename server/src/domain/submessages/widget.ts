/** The piece that a poll or a to-do list begins with. It gets its id beforehand, to be told of with the message itself. */
import { sql } from "kysely";
import { widgetSubmessage } from "../../markdown/widgets.ts";
import type { Db } from "../../platform/db/connect.ts";

export const widgetType = "widget";

export interface Widget {
  id: number;
  /** JSON text. */
  content: string;
}

/** Undefined for any other message. `given` is a piece that comes with the text, in place of what the text says. */
export async function composeWidget(db: Db, messageContent: string, given?: object): Promise<Widget | undefined> {
  const data = given ?? widgetSubmessage(messageContent);
  if (!data) return undefined;
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('submessages', 'id')) as id`.execute(db);
  const [row] = rows;
  if (!row) throw new Error("a sequence always has a next value");
  return { id: row.id, content: JSON.stringify(data) };
}
