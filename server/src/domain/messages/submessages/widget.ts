/** The initial submessage of a widget. Its id is taken beforehand, so that the message's own event can contain it. */
import type { WidgetContent } from "@skein/api/submessages.ts";
import { sql } from "kysely";
import { widgetSubmessage } from "../../../markdown/widgets.ts";
import type { Db } from "../../../platform/db/connect.ts";

export const widgetType = "widget";

export interface Widget {
  id: number;
  /** As JSON. */
  content: string;
}

/** Undefined for a message without a widget. A widget given by the sender replaces the one the text describes. */
export async function composeWidget(
  db: Db,
  messageContent: string,
  given?: WidgetContent,
): Promise<Widget | undefined> {
  const data = given ?? widgetSubmessage(messageContent);
  if (!data) return undefined;
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('submessages', 'id')) as id`.execute(db);
  const [row] = rows;
  if (!row) throw new Error("unreachable: a sequence always has a next value");
  return { id: row.id, content: JSON.stringify(data) };
}
