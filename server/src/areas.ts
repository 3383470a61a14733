/**
 * The areas of the domain, from low to high: an area imports those before it, never those after it. The linter enforces
 * this order (.oxlintrc.json).
 */
import { base } from "./domain/base/area.ts";
import { organization } from "./domain/organization/area.ts";
import { people } from "./domain/people/area.ts";
import { channels } from "./domain/channels/area.ts";
import { messages } from "./domain/messages/area.ts";
import { notifications } from "./domain/notifications/area.ts";
import { integrations } from "./domain/integrations/area.ts";
import { administration } from "./domain/administration/area.ts";
import { joining } from "./domain/joining/area.ts";
import { data } from "./domain/data/area.ts";
import type { Area } from "./area.ts";
import type { EventShapes } from "./events/queue.ts";
import type { SecretBox } from "./platform/secret-box.ts";
import type { Context } from "./context.ts";
import type { Page } from "./http/page.ts";

export const areas: Record<string, Area> = {
  base,
  organization,
  people,
  channels,
  messages,
  notifications,
  integrations,
  administration,
  joining,
  data,
};

const all = <T>(part: (area: Area) => T[] | undefined): T[] => Object.values(areas).flatMap((area) => part(area) ?? []);

export const endpoints = all((area) => area.endpoints);
export const stateParts = all((area) => area.stateParts);
export const jobs = all((area) => area.jobs);
export const chores = all((area) => area.chores);
export const consequences = all((area) => area.consequences);
export const pages = (ctx: Context): Page[] => all((area) => area.pages?.(ctx));
export const eventShapes = (secretBox: SecretBox): EventShapes => new Map(all((area) => area.eventShapes?.(secretBox)));
