/** When each event is sent and to whom, for the reference pages. A test checks that every event has a text. */
export interface EventText {
  when: string;
  to: string;
}

const everyone = "Everybody in the organization.";
const self = "The account itself, in all of its clients.";
const administrators = "Administrators of the organization.";
const readers =
  "Everybody who can read the message and has it in their history: recipients of a direct message, subscribers of the channel.";
const channelKnowers =
  "Everybody who may know of the channel; for private channels its subscribers and administrators.";
const visible =
  "Everybody who can see the user. Guests may see only people they share a channel or a conversation with.";
const botOwners = "The bot's owner, and administrators.";
const fileOwner = "The owner of the file.";

export const eventTexts: Record<string, EventText> = {
  heartbeat: {
    when: "Nothing happened for a while. It shows that the connection still works, and keeps proxies from closing it.",
    to: "Every queue whose read waits for about a minute.",
  },
  message: {
    when: "A message was sent.",
    to: "Recipients of a direct message; subscribers of the channel, and people whom the message mentions. With `all_public_streams`, everybody who can read the channel.",
  },
  update_message: {
    when: "A message was edited, got a preview of a link, or messages were moved to another topic or channel.",
    to: readers,
  },
  delete_message: {
    when: "Messages were deleted, or moved to where the reader cannot see them.",
    to: readers,
  },
  "reaction add": { when: "Somebody reacted to a message.", to: readers },
  "reaction remove": { when: "Somebody removed a reaction.", to: readers },
  submessage: {
    when: "Somebody voted in a poll, ticked off a task, or changed what such a message offers.",
    to: readers,
  },
  "update_message_flags add": {
    when: "Flags were set on messages of the account: they were read, starred, or now mention it.",
    to: self,
  },
  "update_message_flags remove": { when: "Flags were cleared on messages of the account.", to: self },
  "subscription add": { when: "The account was subscribed to channels.", to: "The account that was subscribed." },
  "subscription remove": {
    when: "The account was unsubscribed from channels.",
    to: "The account that was unsubscribed.",
  },
  "subscription update": {
    when: "A personal setting for a channel changed: its color, whether it is muted or pinned, its notifications.",
    to: self,
  },
  "subscription peer_add": {
    when: "Other people were subscribed to channels.",
    to: "Everybody who may see the subscribers of these channels.",
  },
  "subscription peer_remove": {
    when: "Other people were unsubscribed from channels.",
    to: "Everybody who may see the subscribers of these channels.",
  },
  "stream create": { when: "Channels were created, or became visible to the account.", to: channelKnowers },
  "stream delete": {
    when: "Channels are no longer visible to the account, or were archived.",
    to: "Everybody who could see them. Clients with the capability `archived_channels` get `stream update` for archived channels instead.",
  },
  "stream update": {
    when: "A property of a channel changed, such as its name, description or permissions.",
    to: channelKnowers,
  },
  default_streams: {
    when: "The channels that new users are subscribed to have changed; this is the complete list.",
    to: "Everybody in the organization except guests.",
  },
  "channel_folder add": { when: "A channel folder was created.", to: everyone },
  "channel_folder update": { when: "A channel folder was renamed, described, archived or brought back.", to: everyone },
  "channel_folder reorder": { when: "The channel folders were put into another order.", to: everyone },
  default_stream_groups: {
    when: "The groups of default channels have changed; this is the complete list.",
    to: "Everybody in the organization except guests.",
  },
  "realm_user add": { when: "An account was created, or became visible to a guest.", to: visible },
  "realm_user remove": { when: "A guest can no longer see a user.", to: "The guest." },
  "realm_user update": {
    when: "Something about a user changed: name, role, avatar, address, time zone, profile, or whether the account is active.",
    to: `${visible} An address is sent only to those who may see it.`,
  },
  custom_profile_fields: { when: "The custom profile fields have changed; this is the complete list.", to: everyone },
  "realm_bot add": { when: "A bot was created, or the account became its owner.", to: botOwners },
  "realm_bot update": { when: "A bot changed. Only changed fields are present.", to: botOwners },
  "realm_bot delete": { when: "The account no longer owns the bot.", to: "The former owner." },
  "user_group add": { when: "A user group was created.", to: everyone },
  "user_group update": {
    when: "A group's name, description or permissions changed, or it was deactivated.",
    to: everyone,
  },
  "user_group add_members": { when: "People joined a group.", to: everyone },
  "user_group remove_members": { when: "People left a group.", to: everyone },
  "user_group add_subgroups": { when: "Groups became part of a group.", to: everyone },
  "user_group remove_subgroups": { when: "Groups are no longer part of a group.", to: everyone },
  "user_group remove": {
    when: "A group was deactivated.",
    to: "Clients without the capability `include_deactivated_groups`. Others get `user_group update`.",
  },
  "realm update": { when: "One setting of the organization changed.", to: everyone },
  "realm update_dict": { when: "Settings of the organization changed, several at once.", to: everyone },
  "realm deactivated": { when: "The organization was closed. It is the last event of the queue.", to: everyone },
  "realm_domains add": { when: "Addresses of another domain may join.", to: everyone },
  "realm_domains change": { when: "Whether a domain includes its subdomains has changed.", to: everyone },
  "realm_domains remove": { when: "A domain was removed from the list.", to: everyone },
  invites_changed: {
    when: "Invitations have changed. The event has no further data: fetch them again.",
    to: "Administrators, and whoever sent the invitation.",
  },
  realm_linkifiers: {
    when: "The linkifiers have changed; this is the complete list.",
    to: "Everybody, in clients with the capability `linkifier_url_template`.",
  },
  realm_playgrounds: { when: "The code playgrounds have changed; this is the complete list.", to: everyone },
  "realm_emoji update": { when: "A custom emoji was added or deactivated; these are all of them.", to: everyone },
  realm_export: {
    when: "An export of the organization's data was requested, has finished or failed.",
    to: administrators,
  },
  realm_export_consent: {
    when: "A user has allowed or no longer allows the export of their private data.",
    to: administrators,
  },
  realm_import: {
    when: "An import of another chat's history was started, has made progress, was changed or has ended.",
    to: "Owners of the organization.",
  },
  restart: {
    when: "Another release of the server now serves this organization. Queues stay valid; a client may want to check the feature level.",
    to: everyone,
  },
  web_reload_client: {
    when: "Clients whose code comes from this server should reload.",
    to: "Web and desktop clients.",
  },
  "api_key add": { when: "An API key of the account was created, by signing in with an app or by hand.", to: self },
  "api_key update": { when: "An API key of the account was renamed.", to: self },
  "api_key remove": { when: "An API key of the account was revoked.", to: self },
  "audit_log add": {
    when: "An entry was added to the audit log. Only queues that name this type get it.",
    to: "Administrators of the organization.",
  },
  "user_settings update": { when: "One of the account's settings changed.", to: self },
  update_display_settings: {
    when: "A display setting of the account changed.",
    to: "The account, in clients without the capability `user_settings_object`. Others get `user_settings update`.",
  },
  update_global_notifications: {
    when: "A notification setting of the account changed.",
    to: "The account, in clients without the capability `user_settings_object`. Others get `user_settings update`.",
  },
  "realm_user_settings_defaults update": { when: "A default setting for new users changed.", to: everyone },
  onboarding_steps: { when: "A hint was seen; this is the list of those that are left.", to: self },
  alert_words: { when: "The account's alert words have changed; this is the complete list.", to: self },
  "saved_snippets add": { when: "A snippet was saved.", to: self },
  "saved_snippets update": { when: "A snippet was edited.", to: self },
  "saved_snippets remove": { when: "A snippet was deleted.", to: self },
  muted_users: { when: "The users whom the account has muted have changed; this is the complete list.", to: self },
  "reminders add": { when: "A reminder was created.", to: self },
  "reminders remove": { when: "A reminder was sent or deleted.", to: self },

  "navigation_view add": { when: "A navigation view was added.", to: self },
  "navigation_view update": { when: "A navigation view was pinned, unpinned or renamed.", to: self },
  "navigation_view remove": { when: "A navigation view was removed.", to: self },

  "scheduled_messages add": { when: "Messages were scheduled.", to: self },
  "scheduled_messages update": { when: "A scheduled message was edited, or could not be sent.", to: self },
  "scheduled_messages remove": { when: "A scheduled message was sent or canceled.", to: self },
  user_topic: { when: "A topic was muted, unmuted or followed, by choice or by a setting.", to: self },
  muted_topics: {
    when: "The muted topics have changed; this is the complete list.",
    to: "The account, in clients that do not request `user_topic`.",
  },
  user_status: {
    when: "A user's status changed. Only changed fields are present; an empty text means none.",
    to: visible,
  },
  "drafts add": { when: "Drafts were created.", to: self },
  "drafts update": { when: "A draft was edited.", to: self },
  "drafts remove": { when: "A draft was deleted.", to: self },
  presence: {
    when: "A user has come online after an absence, or has just become invisible. For other changes, clients call `POST /users/me/presence`.",
    to: visible,
  },
  "typing start": {
    when: "Somebody began to type a message.",
    to: "The people it is for. For channel messages, subscribers in clients with the capability `stream_typing_notifications`.",
  },
  "typing stop": { when: "Somebody stopped typing a message.", to: "The people who got `typing start`." },
  "typing_edit_message start": { when: "Somebody began to edit a message.", to: readers },
  "typing_edit_message stop": { when: "Somebody stopped editing a message.", to: readers },
  "attachment add": { when: "A file was uploaded.", to: fileOwner },
  "attachment update": { when: "Other messages link to a file now.", to: fileOwner },
  "attachment remove": { when: "A file was deleted.", to: fileOwner },
};
