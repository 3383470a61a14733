/** The page of an event: when it is sent and to whom, its fields, and one that occurred. */
import { endpoints } from "@skein/api/all.ts";
import { eventTexts } from "@skein/api/event-texts.ts";
import { eventSchemas } from "@skein/api/events.ts";
import { schemaOf, type JsonSchema } from "@skein/api/openapi.ts";
import { namedTypes } from "@skein/api/schema-text.ts";
import { type Html, markup } from "../../platform/markup.ts";
import { jsonBlock, prose } from "./code.ts";
import { slugOf } from "./event-names.ts";
import { namedType, schemaFields } from "./fields.ts";
import { linkTo, type View } from "./layout.ts";
import type { RecordedEvent } from "./recorded.ts";

type EventSchema = (typeof eventSchemas)[number];

/** The schema of each event by its name. An event whose op has several values has several names. */
export const eventsByName: ReadonlyMap<string, EventSchema> = new Map(
  eventSchemas.flatMap((schema): [string, EventSchema][] => {
    const type = schema.shape.type.value;
    const ops = "op" in schema.shape ? opsOf(schema.shape.op) : [];
    return ops.length === 0 ? [[type, schema]] : ops.map((op) => [`${type} ${op}`, schema]);
  }),
);

function opsOf(op: { values?: ReadonlySet<unknown>; options?: readonly unknown[] }): string[] {
  return [...(op.values ?? op.options ?? [])].map(String);
}

export const eventNames: readonly string[] = [...eventsByName.keys()];

export function eventPage(name: string, recorded: RecordedEvent | undefined): View {
  const schema = eventsByName.get(name);
  if (!schema) throw new Error(`there is no event ${name}`);
  const schemas: Record<string, JsonSchema> = {};
  const fields = schemaOf(schema, schemas);
  const text = eventTexts[name];
  return {
    title: name,
    body: markup`<h1><code>${name}</code> event</h1>
<p class="lead">${prose(text?.when ?? "")}</p>
<div class="two">
<div>
<h2>Who receives it</h2>
<p>${prose(text?.to ?? "")}</p>
${registrationNote(schema.shape.type.value)}
<h2>Fields</h2>
${schemaFields(fields)}
<p class="note">Besides <code>id</code>, the event's place in the queue's order.</p>
${namedTypes([fields], schemas).map(namedType)}
${causesOf(recorded)}
</div>
<div class="beside">
${
  recorded === undefined
    ? undefined
    : markup`${jsonBlock("Example", recorded.event)}
<p class="note">This event occurred in the demo organization.</p>`
}
</div>
</div>`,
  };
}

/** Heartbeats are not stored; whichever types a queue is registered for, it gets them. */
const registrationNote = (type: string): Html | undefined =>
  type === "heartbeat"
    ? undefined
    : markup`<p>Queues receive it if they were <a href="${linkTo("register-queue")}">registered</a> for the type
<code>${type}</code>, or for all types.</p>`;

function causesOf(recorded: RecordedEvent | undefined): Html {
  const causes = endpoints.filter(({ operation }) => recorded?.causes.includes(operation));
  const items = causes.map(
    (declared) => markup`<li><a href="${linkTo(declared.operation)}">${declared.summary}</a></li>`,
  );
  return items.length === 0
    ? markup``
    : markup`<h2>Causes</h2>
<p>Among others, the examples of these operations:</p>
<ul class="links">
${items}
</ul>`;
}

export const eventsPage = (): View => ({
  title: "Events",
  body: markup`<h1>Events</h1>
<p class="lead">What a queue can deliver. <a href="${linkTo("event-queues")}">Event queues</a> explains how to receive them.</p>
<ul class="list">
${eventNames.map(
  (name) =>
    markup`<li><a href="${linkTo(`events/${slugOf(name)}`)}"><code>${name}</code></a> ${prose(eventTexts[name]?.when ?? "")}</li>`,
)}
</ul>`,
});
