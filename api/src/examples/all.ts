/** The example of every operation. One without an example does not compile. */
import { authentication, devices, events, settings, uploads } from "./accounts.ts";
import { channelExamples } from "./channels.ts";
import type { Example, RouteName } from "./example.ts";
import { messages, writing } from "./messages.ts";
import { organization } from "./organization.ts";
import { bots, invitations, userGroups, users } from "./people.ts";

export const examples: { readonly [N in RouteName]: Example<N> } = {
  ...messages,
  ...writing,
  ...channelExamples,
  ...users,
  ...userGroups,
  ...bots,
  ...invitations,
  ...organization,
  ...events,
  ...authentication,
  ...settings,
  ...devices,
  ...uploads,
};
