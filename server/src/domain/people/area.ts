/** Users and what belongs to them: accounts, groups, credentials, settings, status, presence, profiles. */
import { authenticationEndpoints } from "./auth/endpoints.ts";
import { keyEndpoints } from "./auth/key-endpoints.ts";
import { sessionEndpoints } from "./auth/session-endpoints.ts";
import { avatarEndpoints } from "./avatars/endpoints.ts";
import { avatarPages } from "./avatars/pages.ts";
import { botShape } from "./bots/events.ts";
import { onboardingEndpoints } from "./onboarding/endpoints.ts";
import { onboardingState } from "./onboarding/state.ts";
import { presenceEndpoints } from "./presence/endpoints.ts";
import { presenceEventShapes, presenceState } from "./presence/state.ts";
import { profileFieldEndpoints } from "./profile-fields/endpoints.ts";
import { profileFieldState } from "./profile-fields/state.ts";
import { navigationViewEndpoints } from "./navigation-views/endpoints.ts";
import { navigationViewState } from "./navigation-views/state.ts";
import { savedSnippetEndpoints } from "./saved-snippets/endpoints.ts";
import { savedSnippetState } from "./saved-snippets/state.ts";
import { confirmEndpoints } from "./second-factors/confirm-session.ts";
import { passkeyEndpoints } from "./second-factors/passkey-endpoints.ts";
import { secondFactorEndpoints } from "./second-factors/endpoints.ts";
import { settingEndpoints } from "./settings/endpoints.ts";
import { settingEventShapes } from "./settings/event-shapes.ts";
import { settingStates } from "./settings/state.ts";
import { statusEndpoints } from "./status/endpoints.ts";
import { userStatusState } from "./status/state.ts";
import { userGroupEventShapes } from "./user-groups/event-shapes.ts";
import { userGroupState } from "./user-groups/state.ts";
import { userEventShapes } from "./users/event-shapes.ts";
import { peopleState, userState } from "./users/state.ts";
import type { Area } from "../../area.ts";
import { removeOldSignIns } from "./auth/chores.ts";

export const people: Area = {
  endpoints: [
    ...authenticationEndpoints,
    ...keyEndpoints,
    ...sessionEndpoints,
    ...avatarEndpoints,
    ...onboardingEndpoints,
    ...profileFieldEndpoints,
    ...presenceEndpoints,
    ...navigationViewEndpoints,
    ...savedSnippetEndpoints,
    ...secondFactorEndpoints,
    ...confirmEndpoints,
    ...passkeyEndpoints,
    ...settingEndpoints,
    ...statusEndpoints,
  ],
  pages: (ctx) => [...avatarPages(ctx)],
  eventShapes: (secretBox) => [
    ...settingEventShapes,
    ...presenceEventShapes,
    ...userEventShapes,
    ...userGroupEventShapes,
    ["realm_bot", botShape(secretBox)],
  ],
  stateParts: [
    onboardingState,
    profileFieldState,
    presenceState,
    navigationViewState,
    savedSnippetState,
    ...settingStates,
    userGroupState,
    userStatusState,
    userState,
    peopleState,
  ],
  chores: [removeOldSignIns],
};
