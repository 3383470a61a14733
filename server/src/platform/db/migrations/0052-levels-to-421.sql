-- phase: expand

-- The previous release creates organizations and invitations without these.
alter table realms
  add column require_e2ee_push_notifications boolean not null default false,
  -- What the welcome bot adds to its greeting.
  add column welcome_message_custom_text text not null default '';

-- The same for those who join by the invitation. Null: the organization's text.
alter table invitations add column welcome_message_custom_text text;
alter table invitation_links add column welcome_message_custom_text text;
