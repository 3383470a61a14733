/** The pages of the reference, and which of them a path or a search names. */
import { endpoints } from "@skein/api/all.ts";
import type { Endpoint } from "@skein/api/endpoint.ts";
import { eventTexts } from "@skein/api/event-texts.ts";
import { routeNameOf } from "@skein/api/examples/operations.ts";
import { type Html, markup } from "../../platform/markup.ts";
import { shellBlock } from "./code.ts";
import { eventNames, eventPage, eventsPage } from "./event-page.ts";
import { slugOf } from "./event-names.ts";
import { credentialsBlock, type Guide, guides, type Limits } from "./guides.ts";
import { type Entry, layOut, linkTo, root, type Section, type View } from "./layout.ts";
import { methodTag, operationPage, placeOf } from "./operation-page.ts";
import { recordedEvent, recordedOperation, recordedWebhook } from "./recorded.ts";

const areas = Object.entries(Object.groupBy(endpoints, ({ area }) => area));

const eventSection = "Event types";

const operationEntry = (declared: Endpoint): Entry => ({
  slug: declared.operation,
  title: declared.summary,
  words: [
    declared.operation,
    declared.method,
    declared.path,
    declared.description,
    ...Object.keys(declared.params),
  ].join(" "),
});

const sections: readonly Section[] = [
  {
    title: "Basics",
    entries: [
      { slug: "", title: "Overview", words: "" },
      ...guides.map(({ slug, title, words }) => ({ slug, title, words })),
    ],
  },
  ...areas.map(([area, members = []]) => ({ title: area, entries: members.map(operationEntry) })),
  {
    title: eventSection,
    entries: [
      { slug: "events", title: "All events", words: "" },
      ...eventNames.map((name) => ({
        slug: `events/${slugOf(name)}`,
        title: name,
        words: eventTexts[name]?.when ?? "",
      })),
    ],
  },
];

export const allSlugs: readonly string[] = sections.flatMap(({ entries }) => entries.map(({ slug }) => slug));

export interface ReferenceRequest {
  /** Without the query. */
  path: string;
  query: string | undefined;
  /** The URL of the organization, for commands. */
  site: string;
  limits: Limits;
}

export async function renderReference(request: ReferenceRequest): Promise<{ status: number; html: string }> {
  const slug = request.path.replace(/\/+$/, "").slice(root.length + 1);
  const view = (await viewOf(slug, request)) ?? notFound;
  return { status: view.status ?? 200, html: layOut(view, view === notFound ? "?" : slug, sections) };
}

async function viewOf(slug: string, { query, site, limits }: ReferenceRequest): Promise<View | undefined> {
  if (slug === "") return query === undefined || query.trim() === "" ? overview(site) : results(query);
  if (slug === "events") return eventsPage();
  const guide = guides.find((candidate) => candidate.slug === slug);
  if (guide) {
    const outgoing = slug === "outgoing-webhooks" ? await recordedWebhook("outgoing") : undefined;
    const body = guide.body({ site, limits, outgoing });
    return { title: guide.title, body: markup`<h1>${guide.title}</h1>${body}` };
  }
  const event = eventNames.find((name) => slug === `events/${slugOf(name)}`);
  if (event !== undefined) return eventPage(event, await recordedEvent(slugOf(event)));
  const declared = endpoints.find(({ operation }) => operation === slug);
  const name = declared && routeNameOf(declared.operation);
  return declared && name && operationPage(declared, name, await recordedOperation(declared.operation), site);
}

const notFound: View = {
  title: "Not found",
  status: 404,
  body: markup`<h1>Not found</h1><p>There is no such page. See <a href="${root}">the overview</a>, or search.</p>`,
};

const overview = (site: string): View => ({
  title: "HTTP API",
  body: markup`<h1>HTTP API</h1>
<div class="two"><div>
<p class="lead">Everything that Skein's own client does, your program can do: ${endpoints.length} operations over HTTP, and a queue of
events for what happens meanwhile. The protocol is a well-known one, so its client libraries work, too.</p>
<p>Every operation has an example that works as it is printed. To try them without touching your own organization, start one with an invented
team: <code>npx skein dev --demo</code>.</p>
<ul class="cards">
${guides.map(card)}
<li><a href="${linkTo("events")}"><b>Events</b>${eventNames.length} kinds, each with an example</a></li>
<li><a href="/api/openapi.json"><b>OpenAPI document</b>for generated clients</a></li>
</ul>
</div><div class="beside">
${credentialsBlock}
${shellBlock(
  "A first message",
  `curl -sS "${site}/api/v1/messages" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" \\
  -d type=channel -d to=general -d topic=hello \\
  --data-urlencode 'content=Hello from the **API**!'`,
)}
</div></div>
${areas.map(([area, members = []]) => operationsOf(area, members))}`,
});

const card = ({ slug, title, summary }: Guide): Html =>
  markup`<li><a href="${linkTo(slug)}"><b>${title}</b>${summary}</a></li>`;

const operationsOf = (area: string, members: readonly Endpoint[]): Html => markup`<section><h2>${area}</h2>
<ul class="list">
${members.map(operationItem)}
</ul></section>`;

const operationItem = (declared: Endpoint): Html =>
  markup`<li>${methodTag(declared)} <a href="${linkTo(declared.operation)}">${declared.summary}</a> <span class="type">${placeOf(declared)}</span></li>`;

/** Pages that have all words, those with a word in the title first. */
function results(query: string): View {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string, word: string): boolean => text.toLowerCase().includes(word);
  const found = sections
    .flatMap(({ title, entries }) => entries.map((entry) => ({ ...entry, section: title })))
    .filter((entry) => words.every((word) => has(`${entry.title} ${entry.words} ${entry.section}`, word)))
    .map((entry) => ({ ...entry, inTitle: words.filter((word) => has(entry.title, word)).length }))
    .toSorted((a, b) => b.inTitle - a.inTitle);
  return {
    title: `Search: ${query}`,
    query,
    body: markup`<h1>Search results</h1>
<p class="lead">${found.length === 0 ? `No results for "${query}". Try different words.` : `${found.length} for "${query}".`}</p>
<ul class="list">
${found.map(resultItem)}
</ul>`,
  };
}

const resultItem = ({ slug, title, section }: Entry & { section: string }): Html =>
  markup`<li><a href="${linkTo(slug)}">${section === eventSection ? markup`<code>${title}</code>` : title}</a> <span class="type">${section}</span></li>`;
