import type { z } from "zod";
import type { realmDomainEvents } from "../realm-domains.ts";
import { change, type FollowedState } from "./followed-state.ts";

type RealmDomainEvent = z.output<(typeof realmDomainEvents)[number]>;

export const applyRealmDomainEvent = (state: FollowedState, event: RealmDomainEvent): FollowedState =>
  change(state, "realm_domains", (domains) => {
    switch (event.op) {
      case "add":
        return [...domains, event.realm_domain];
      case "change":
        return domains.map((known) => (known.domain === event.realm_domain.domain ? event.realm_domain : known));
      case "remove":
        return domains.filter((known) => known.domain !== event.domain);
    }
  });
