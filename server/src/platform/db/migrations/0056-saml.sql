-- phase: expand

-- Settings that only some kinds of providers have. kind: 'oidc' or 'saml'.
alter table identity_providers add column settings jsonb not null default '{}';

-- Sign-ins at SAML providers that are under way. A response must name one of them, and each works once.
create table saml_requests (
  realm_id bigint not null references realms (id),
  provider_id bigint not null references identity_providers (id) on delete cascade,
  -- The ID of the request, which the response repeats.
  request_id text not null,
  expires_at timestamptz not null,
  -- What the provider has stated about the person, until their browser comes back. Null: no response yet.
  person jsonb,
  -- Of the ticket with which the browser that brought the response comes back.
  ticket_hash bytea,
  primary key (realm_id, request_id)
);
create index saml_requests_of_provider on saml_requests (provider_id);
create index saml_requests_by_end on saml_requests (expires_at);
