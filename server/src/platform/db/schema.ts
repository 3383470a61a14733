// Written by `npm run schema` from the migrated database. Not for editing.
import type { ColumnType, Generated } from "kysely";

/** Read as the value itself, written as JSON text. */
export type JsonColumn = ColumnType<unknown, string, string>;
export type TimeColumn = ColumnType<Date, Date | string, Date | string>;
/** A column that fills itself in when an insert leaves it out. */
export type Filled<T> = [T] extends [ColumnType<infer S, infer I, infer U>]
  ? ColumnType<S, I | undefined, U>
  : Generated<T>;

export interface AlertWordVersionsTable {
  realm_id: number;
  version: number;
}

export interface AlertWordsTable {
  id: Filled<number>;
  realm_id: number;
  user_id: number;
  word: string;
}

export interface ApiKeysTable {
  id: Filled<number>;
  realm_id: number;
  user_id: number;
  key_hash: Buffer;
  client_name: string;
  created_at: Filled<TimeColumn>;
  name: string | null;
  kind: Filled<string>;
  scopes: string[] | null;
  expires_at: TimeColumn | null;
  last_used_at: TimeColumn | null;
  last_used_ip: string | null;
}

export interface AttachmentMessagesTable {
  attachment_id: number;
  message_id: number;
  realm_id: number;
}

export interface AttachmentsTable {
  id: Filled<number>;
  realm_id: number;
  owner_id: number;
  path_id: string;
  file_name: string;
  size: number;
  content_type: string;
  created_at: Filled<TimeColumn>;
  width: number | null;
  height: number | null;
  frames: number | null;
  unclaimed_since: Filled<TimeColumn | null>;
}

export interface AuditDestinationsTable {
  id: Filled<number>;
  realm_id: number;
  url: string;
  sealed_url: string;
  sealed_secret: string | null;
  is_enabled: Filled<boolean>;
  created_at: Filled<TimeColumn>;
  delivered_id: number;
  delivered_at: TimeColumn | null;
  failures: Filled<number>;
  failed_at: TimeColumn | null;
  error: string | null;
  next_try_at: Filled<TimeColumn>;
  claim: Filled<number>;
  claimed_until: TimeColumn | null;
}

export interface AuditHeadsTable {
  realm_id: number;
  last_id: Filled<number>;
  last_hash: Filled<Buffer>;
}

export interface AuditLogTable {
  realm_id: number;
  id: number;
  at: TimeColumn;
  actor_kind: string;
  actor_id: number | null;
  credential_kind: string | null;
  credential_id: number | null;
  ip: string | null;
  action: string;
  target_kind: string;
  target_id: number | null;
  before: JsonColumn | null;
  after: JsonColumn | null;
  request_id: string | null;
  prev_hash: Buffer;
  hash: Buffer;
}

export interface BotStorageTable {
  user_id: number;
  key: string;
  value: string;
  realm_id: number;
}

export interface BotsTable {
  user_id: number;
  realm_id: number;
  sealed_api_key: string;
  default_sending_channel_id: number | null;
  default_events_register_channel_id: number | null;
  default_all_public_channels: Filled<boolean>;
  config: Filled<JsonColumn>;
}

export interface BrowserSessionsTable {
  id: Filled<number>;
  realm_id: number;
  user_id: number;
  token_hash: Buffer;
  created_at: Filled<TimeColumn>;
  last_used_at: Filled<TimeColumn>;
  expires_at: TimeColumn;
  ip: string | null;
  user_agent: string | null;
  confirmed_at: Filled<TimeColumn>;
}

export interface CellTable {
  is_the_only_row: Filled<boolean>;
  number: number;
  sealed_check: string;
}

export interface ChannelFoldersTable {
  id: Filled<number>;
  realm_id: number;
  name: string;
  description: Filled<string>;
  rendered_description: Filled<string>;
  date_created: Filled<TimeColumn>;
  creator_id: number | null;
  is_archived: Filled<boolean>;
  position: number;
}

export interface ChannelSubscriberCountsTable {
  channel_id: number;
  realm_id: number;
  subscribers: number;
}

export interface ChannelsTable {
  id: number;
  realm_id: number;
  name: string;
  description: Filled<string>;
  rendered_description: Filled<string>;
  date_created: Filled<TimeColumn>;
  creator_id: number | null;
  invite_only: Filled<boolean>;
  is_web_public: Filled<boolean>;
  history_public_to_subscribers: Filled<boolean>;
  is_archived: Filled<boolean>;
  is_default: Filled<boolean>;
  is_recently_active: Filled<boolean>;
  message_retention_days: number | null;
  first_message_id: number | null;
  can_add_subscribers_group_id: number;
  can_administer_channel_group_id: number;
  can_remove_subscribers_group_id: number;
  can_send_message_group_id: number;
  can_subscribe_group_id: number;
  weekly_traffic: number | null;
  topics_policy: Filled<string>;
  can_create_topic_group_id: number | null;
  can_delete_any_message_group_id: number | null;
  can_delete_own_message_group_id: number | null;
  can_move_messages_out_of_channel_group_id: number | null;
  can_move_messages_within_channel_group_id: number | null;
  can_resolve_topics_group_id: number | null;
  folder_id: number | null;
}

export interface ClientsTable {
  id: Filled<number>;
  name: string;
}

export interface ConfirmationsTable {
  id: Filled<number>;
  realm_id: number;
  purpose: string;
  token_hash: Buffer;
  data: JsonColumn;
  created_at: Filled<TimeColumn>;
  expires_at: TimeColumn | null;
  used_at: TimeColumn | null;
  revoked_at: TimeColumn | null;
}

export interface ConversationsTable {
  id: Filled<number>;
  realm_id: number;
  direct_key: string | null;
  is_group: Filled<boolean>;
  newest_deleted_id: number | null;
}

export interface CustomEmojiTable {
  id: Filled<number>;
  realm_id: number;
  name: string;
  author_id: number;
  file_name: string;
  still_file_name: string | null;
  deactivated: Filled<boolean>;
  date_created: Filled<TimeColumn>;
}

export interface CustomProfileFieldsTable {
  id: Filled<number>;
  realm_id: number;
  name: string;
  hint: Filled<string>;
  field_type: number;
  field_data: Filled<string>;
  position: number;
  display_in_profile_summary: Filled<boolean>;
  required: Filled<boolean>;
  editable_by_user: Filled<boolean>;
  use_for_user_matching: Filled<boolean>;
}

export interface CustomProfileValuesTable {
  user_id: number;
  field_id: number;
  realm_id: number;
  value: string;
  rendered_value: string | null;
}

export interface DefaultChannelGroupChannelsTable {
  group_id: number;
  channel_id: number;
  realm_id: number;
}

export interface DefaultChannelGroupsTable {
  id: Filled<number>;
  realm_id: number;
  name: string;
  description: Filled<string>;
}

export interface DeletedMessagesTable {
  id: number;
  realm_id: number;
  deleted_at: Filled<TimeColumn>;
  message: JsonColumn;
}

export interface DraftsTable {
  id: Filled<number>;
  realm_id: number;
  user_id: number;
  type: string;
  recipients: number[];
  topic: string;
  content: string;
  edited_at: Filled<TimeColumn>;
}

export interface EventLogTable {
  is_the_only_row: Filled<boolean>;
  epoch: Filled<number>;
  confirmed_sequence: Filled<number>;
  generation: string | null;
  system_identifier: string | null;
  timeline: number | null;
  confirmed_lsn: string | null;
  confirmed_lsn_sequence: number | null;
}

export interface EventQueuesTable {
  id: string;
  realm_id: number;
  user_id: number;
  epoch: number;
  first_event_id: number;
  snapshot: string;
  options: JsonColumn;
  idle_seconds: number;
  expires_at: TimeColumn;
}

export interface ExternalIdentitiesTable {
  id: Filled<number>;
  realm_id: number;
  provider_id: number;
  issuer: string;
  subject: string;
  user_id: number;
  created_at: Filled<TimeColumn>;
  last_used_at: Filled<TimeColumn>;
  deactivated_at: TimeColumn | null;
}

export interface FetchedImagesTable {
  url_hash: Buffer;
  file_key: string | null;
  bytes: Filled<number>;
  fetched_at: Filled<TimeColumn>;
  expires_at: TimeColumn;
}

export interface FinishedOnboardingStepsTable {
  user_id: number;
  step: string;
  realm_id: number;
}

export interface IdentityProvidersTable {
  id: Filled<number>;
  realm_id: number;
  kind: Filled<string>;
  key: string;
  name: string;
  issuer: string;
  client_id: string;
  sealed_client_secret: Filled<string>;
  scopes: Filled<string[]>;
  allowed_domains: Filled<string[]>;
  creates_accounts: Filled<boolean>;
  groups_claim: Filled<string>;
  group_map: Filled<JsonColumn>;
  is_enabled: Filled<boolean>;
  created_at: Filled<TimeColumn>;
  settings: Filled<JsonColumn>;
}

export interface ImportEmojiTable {
  realm_id: number;
  n: number;
  data: JsonColumn;
}

export interface ImportFilesTable {
  realm_id: number;
  n: number;
  entry: string;
  sender_id: string;
  data: JsonColumn;
}

export interface ImportFollowersTable {
  realm_id: number;
  person_id: string;
  thread_id: string;
}

export interface ImportIdsTable {
  is_the_only_row: Filled<boolean>;
  next_id: number;
  end_id: number;
}

export interface ImportMapTable {
  realm_id: number;
  source: string;
  kind: string;
  source_id: string;
  id: number;
}

export interface ImportMessagesTable {
  realm_id: number;
  n: number;
  source_id: string;
  place_id: string;
  is_direct: boolean;
  sender_id: string;
  at: number;
  thread_id: string | null;
  thread_at: number | null;
  thread_name: string | null;
  is_broadcast: boolean;
  is_resolved: boolean;
  topic: string | null;
  data: string;
}

export interface ImportOrderTable {
  realm_id: number;
  id: number;
  kind: number;
  message_n: number | null;
  thread_n: number | null;
  topic_n: number | null;
}

export interface ImportPeopleTable {
  realm_id: number;
  n: number;
  source_id: string;
  data: JsonColumn;
  is_new: Filled<boolean>;
}

export interface ImportPlacesTable {
  realm_id: number;
  n: number;
  source_id: string;
  is_direct: boolean;
  data: JsonColumn;
  conversation_id: number | null;
  is_new: Filled<boolean>;
}

export interface ImportReadStatesTable {
  realm_id: number;
  person_id: string;
  place_id: string | null;
  is_direct: boolean;
  thread_id: string | null;
  read_until: number;
}

export interface ImportThreadsTable {
  realm_id: number;
  n: number;
  channel_id: string;
  source_id: string;
  root_n: number | null;
  at: number;
  name: string | null;
  is_resolved: boolean;
  replies: number;
  topic_id: number | null;
}

export interface ImportTopicsTable {
  realm_id: number;
  n: number;
  channel_id: string;
  name: string;
  topic_id: number | null;
}

export interface ImportUnreadTable {
  realm_id: number;
  user_id: number;
  conversation_id: number;
  message_id: number;
}

export interface ImportsTable {
  id: Filled<number>;
  realm_id: number;
  source: string;
  fingerprint: string;
  phase: string;
  checkpoint: Filled<number>;
  first_id: number | null;
  end_id: number | null;
  report: JsonColumn;
  started_at: Filled<TimeColumn>;
  finished_at: TimeColumn | null;
}

export interface IncomingDeliveriesTable {
  bot_id: number;
  key: Buffer;
  realm_id: number;
  received_at: Filled<TimeColumn>;
}

export interface InvitationLinksTable {
  id: Filled<number>;
  realm_id: number;
  invited_by_id: number;
  invited_at: Filled<TimeColumn>;
  expires_at: TimeColumn | null;
  role: number;
  channel_ids: number[];
  group_ids: number[];
  default_channels: boolean;
  site_url: string;
  token_hash: Buffer;
  sealed_token: string;
  revoked: Filled<boolean>;
  welcome_message_custom_text: string | null;
}

export interface InvitationsTable {
  id: Filled<number>;
  realm_id: number;
  email: string;
  invited_by_id: number;
  invited_at: Filled<TimeColumn>;
  expires_at: TimeColumn | null;
  role: number;
  channel_ids: number[];
  group_ids: number[];
  default_channels: boolean;
  notify_referrer: boolean;
  site_url: string;
  state: Filled<string>;
  welcome_message_custom_text: string | null;
}

export interface JobWorkersTable {
  id: string;
  seen_at: Filled<TimeColumn>;
  reads_sealed_addresses: Filled<boolean>;
}

export interface LdapSyncsTable {
  provider_id: number;
  realm_id: number;
  next_at: TimeColumn | null;
  claim: Filled<number>;
  claimed_until: TimeColumn | null;
  finished_at: TimeColumn | null;
  problem: string | null;
  people: Filled<number>;
  changes: Filled<number>;
  deactivations: Filled<number>;
}

export interface LinkPreviewsTable {
  url_hash: Buffer;
  data: JsonColumn | null;
  expires_at: TimeColumn;
}

export interface LoginFailuresTable {
  realm_id: number;
  username: string;
  at: Filled<TimeColumn>;
  source: Filled<string>;
}

export interface MaintenanceTable {
  is_the_only_row: Filled<boolean>;
  message: string;
  since: Filled<TimeColumn>;
}

export interface MessageEditsTable {
  id: Filled<number>;
  realm_id: number;
  message_id: number;
  user_id: number | null;
  edited_at: Filled<TimeColumn>;
  prev_content: string | null;
  prev_rendered_content: string | null;
  prev_topic: string | null;
  topic: string | null;
  prev_channel_id: number | null;
  channel_id: number | null;
}

export interface MessageFlagsTable {
  user_id: number;
  message_id: number;
  realm_id: number;
  starred: Filled<boolean>;
  collapsed: Filled<boolean>;
  mentioned: Filled<boolean>;
  topic_wildcard_mentioned: Filled<boolean>;
  has_alert_word: Filled<boolean>;
}

export interface MessageSearchTable {
  message_id: number;
  realm_id: number;
  vector: string;
}

export interface MessagesTable {
  id: Filled<number>;
  realm_id: number;
  conversation_id: number;
  topic_id: number | null;
  sender_id: number;
  client_id: number;
  date_sent: Filled<TimeColumn>;
  content: string;
  rendered_content: string;
  is_me_message: Filled<boolean>;
  read_by_sender: Filled<boolean>;
  mentions_channel: Filled<boolean>;
  traits: Filled<number>;
  origin_id: number | null;
  entered_at: number | null;
  topic_since: number | null;
  topic_spelling: string | null;
}

export interface MissedMessageBatchesTable {
  user_id: number;
  realm_id: number;
  id: Filled<string>;
  due_at: TimeColumn;
}

export interface MissedMessagesTable {
  user_id: number;
  message_id: number;
  realm_id: number;
}

export interface MutedUsersTable {
  user_id: number;
  muted_user_id: number;
  realm_id: number;
  muted_at: TimeColumn | null;
  silenced: Filled<string>;
}

export interface NavigationViewsTable {
  id: Filled<number>;
  realm_id: number;
  user_id: number;
  fragment: string;
  is_pinned: boolean;
  name: string | null;
}

export interface NotificationProgressTable {
  is_the_only_row: Filled<boolean>;
  settled: number;
  seen: Filled<string>;
}

export interface NotificationRevisitsTable {
  message_id: number;
  user_id: number;
  realm_id: number;
}

export interface OutgoingWebhooksTable {
  bot_id: number;
  realm_id: number;
  name: string;
  base_url: string;
  interface: number;
  sealed_token: string;
  sealed_base_url: string | null;
}

export interface ParticipationsTable {
  user_id: number;
  conversation_id: number;
  realm_id: number;
  read: Filled<string>;
}

export interface PasskeysTable {
  id: Filled<number>;
  realm_id: number;
  user_id: number;
  credential_id: Buffer;
  public_key: Buffer;
  counter: number;
  transports: Filled<string[]>;
  is_backed_up: boolean;
  name: string;
  created_at: Filled<TimeColumn>;
  last_used_at: TimeColumn | null;
}

export interface PendingFilesTable {
  file_key: string;
  since: Filled<TimeColumn>;
}

export interface PresencesTable {
  user_id: number;
  realm_id: number;
  last_active_at: TimeColumn | null;
  last_connected_at: TimeColumn;
  update_id: number;
}

export interface ProviderSessionsTable {
  id: Filled<number>;
  realm_id: number;
  provider_id: number;
  subject: string;
  sid: string | null;
  session_id: number | null;
  api_key_id: number | null;
}

export interface PushDevicesTable {
  id: Filled<number>;
  realm_id: number;
  user_id: number;
  kind: string;
  token: string;
  token_hash: Buffer;
  app_id: string | null;
  p256dh: string | null;
  auth: string | null;
  registered_by: Buffer;
  created_at: Filled<TimeColumn>;
  sealed_token: string | null;
}

export interface PushesTable {
  device_id: number;
  message_id: number;
  user_id: number;
  realm_id: number;
  created_at: Filled<TimeColumn>;
  due_at: TimeColumn;
  is_handed: boolean;
  is_tried: Filled<boolean>;
  is_sent: Filled<boolean>;
  is_over: Filled<boolean>;
}

export interface ReactionsTable {
  id: Filled<number>;
  realm_id: number;
  message_id: number;
  user_id: number;
  reaction_type: string;
  emoji_code: string;
  emoji_name: string;
}

export interface RealmDeletionsTable {
  id: number;
  string_id: string;
  name: string;
  requested_at: Filled<TimeColumn>;
  deleting_from: string | null;
  rows_deleted: Filled<number>;
  finished_at: TimeColumn | null;
  keeps_files: Filled<boolean>;
}

export interface RealmDomainsTable {
  id: Filled<number>;
  realm_id: number;
  domain: string;
  allow_subdomains: Filled<boolean>;
}

export interface RealmExportsTable {
  id: Filled<number>;
  realm_id: number;
  acting_user_id: number;
  export_type: number;
  requested_at: Filled<TimeColumn>;
  finished_at: TimeColumn | null;
  failed_at: TimeColumn | null;
  deleted_at: TimeColumn | null;
  secret: string;
  size: number | null;
}

export interface RealmImportChannelsTable {
  import_id: number;
  realm_id: number;
  number: number;
  source_id: string;
  source_name: string;
  name: string;
  action: string;
  merged_into: string | null;
  is_private: boolean;
  is_archived: boolean;
  members: number;
}

export interface RealmImportPartsTable {
  import_id: number;
  realm_id: number;
  number: number;
  file_key: string;
}

export interface RealmImportPeopleTable {
  import_id: number;
  realm_id: number;
  number: number;
  source_id: string;
  name: string;
  email: string | null;
  account: string;
  is_bot: boolean;
  is_active: boolean;
}

export interface RealmImportsTable {
  id: Filled<number>;
  realm_id: number;
  acting_user_id: number;
  file_name: string;
  size: number;
  state: Filled<string>;
  upload_id: string | null;
  unthreaded: Filled<string>;
  plan_revision: Filled<number>;
  inspection: JsonColumn | null;
  progress: JsonColumn | null;
  reason: string | null;
  report: JsonColumn | null;
  fingerprint: string | null;
  created_at: Filled<TimeColumn>;
  changed_at: Filled<TimeColumn>;
  run_at: TimeColumn | null;
  finished_at: TimeColumn | null;
}

export interface RealmLinkifiersTable {
  id: Filled<number>;
  realm_id: number;
  pattern: string;
  url_template: string;
  position: number;
}

export interface RealmMoveChangesTable {
  realm_id: number;
  table_name: string;
  key: number;
}

export interface RealmMovesTable {
  realm_id: number;
  to_cell: number;
  begun_at: Filled<TimeColumn>;
  has_left: Filled<boolean>;
}

export interface RealmPlaygroundsTable {
  id: Filled<number>;
  realm_id: number;
  name: string;
  pygments_language: string;
  url_template: string;
}

export interface RealmsTable {
  id: Filled<number>;
  string_id: string;
  host: string | null;
  name: string;
  description: Filled<string>;
  date_created: Filled<TimeColumn>;
  deactivated: Filled<boolean>;
  version: Filled<number>;
  allow_message_editing: Filled<boolean>;
  avatar_changes_disabled: Filled<boolean>;
  default_code_block_language: Filled<string>;
  default_language: Filled<string>;
  digest_emails_enabled: Filled<boolean>;
  digest_weekday: Filled<number>;
  disallow_disposable_email_addresses: Filled<boolean>;
  email_changes_disabled: Filled<boolean>;
  emails_restricted_to_domains: Filled<boolean>;
  enable_guest_user_dm_warning: Filled<boolean>;
  enable_guest_user_indicator: Filled<boolean>;
  enable_read_receipts: Filled<boolean>;
  enable_spectator_access: Filled<boolean>;
  giphy_rating: Filled<number>;
  icon_source: Filled<string>;
  icon_version: Filled<number>;
  inline_image_preview: Filled<boolean>;
  inline_url_embed_preview: Filled<boolean>;
  invite_required: Filled<boolean>;
  jitsi_server_url: string | null;
  logo_source: Filled<string>;
  logo_version: Filled<number>;
  mandatory_topics: Filled<boolean>;
  message_content_allowed_in_email_notifications: Filled<boolean>;
  message_content_delete_limit_seconds: Filled<number | null>;
  message_content_edit_limit_seconds: Filled<number | null>;
  message_edit_history_visibility_policy: Filled<string>;
  message_retention_days: Filled<number>;
  moderation_request_channel_id: number | null;
  move_messages_between_streams_limit_seconds: Filled<number | null>;
  move_messages_within_stream_limit_seconds: Filled<number | null>;
  name_changes_disabled: Filled<boolean>;
  new_stream_announcements_stream_id: number | null;
  night_logo_source: Filled<string>;
  night_logo_version: Filled<number>;
  org_type: Filled<number>;
  presence_disabled: Filled<boolean>;
  require_unique_names: Filled<boolean>;
  send_welcome_emails: Filled<boolean>;
  signup_announcements_stream_id: number | null;
  video_chat_provider: Filled<number>;
  waiting_period_threshold: Filled<number>;
  want_advertise_in_communities_directory: Filled<boolean>;
  zulip_update_announcements_stream_id: number | null;
  user_settings_defaults: Filled<JsonColumn>;
  can_access_all_users_group_id: number;
  can_add_custom_emoji_group_id: number;
  can_add_subscribers_group_id: number;
  can_create_bots_group_id: number;
  can_create_groups_id: number;
  can_create_private_channel_group_id: number;
  can_create_public_channel_group_id: number;
  can_create_web_public_channel_group_id: number;
  can_create_write_only_bots_group_id: number;
  can_delete_any_message_group_id: number;
  can_delete_own_message_group_id: number;
  can_invite_users_group_id: number;
  can_manage_all_groups_id: number;
  can_manage_billing_group_id: number;
  can_mention_many_users_group_id: number;
  can_move_messages_between_channels_group_id: number;
  can_move_messages_between_topics_group_id: number;
  can_summarize_topics_group_id: number;
  create_multiuse_invite_group_id: number;
  direct_message_initiator_group_id: number;
  direct_message_permission_group_id: number;
  search_language: Filled<string>;
  icon_key: string | null;
  logo_key: string | null;
  night_logo_key: string | null;
  can_resolve_topics_group_id: number;
  moved_to: number | null;
  api_key_max_days: Filled<number>;
  only_identity_provider_id: number | null;
  can_set_delete_message_policy_group_id: number | null;
  can_set_topics_policy_group_id: number | null;
  send_channel_events_messages: Filled<boolean>;
  require_e2ee_push_notifications: Filled<boolean>;
  welcome_message_custom_text: Filled<string>;
  default_avatar_source: Filled<string>;
  second_factor_required_for: Filled<string>;
}

export interface RecoveryCodesTable {
  user_id: number;
  code_hash: Buffer;
  realm_id: number;
}

export interface RemindersTable {
  id: Filled<number>;
  realm_id: number;
  user_id: number;
  message_id: number;
  note: Filled<string>;
  content: string;
  rendered_content: string;
  deliver_at: TimeColumn;
  failed: Filled<boolean>;
}

export interface ResumableUploadPartsTable {
  upload_id: string;
  number: number;
  file_key: string;
}

export interface ResumableUploadsTable {
  id: string;
  realm_id: number;
  owner_id: number;
  file_name: string;
  content_type: string;
  size: number;
  received: Filled<number>;
  parts: Filled<string[]>;
  path_id: string | null;
  expires_at: TimeColumn;
  final_path_id: string | null;
}

export interface SamlRequestsTable {
  realm_id: number;
  provider_id: number;
  request_id: string;
  expires_at: TimeColumn;
  person: JsonColumn | null;
  ticket_hash: Buffer | null;
}

export interface SavedSnippetsTable {
  id: Filled<number>;
  realm_id: number;
  user_id: number;
  title: string;
  content: string;
  date_created: Filled<TimeColumn>;
}

export interface ScheduledMessagesTable {
  id: Filled<number>;
  realm_id: number;
  sender_id: number;
  channel_id: number | null;
  topic: string | null;
  user_ids: number[] | null;
  content: string;
  rendered_content: string;
  client_name: string;
  read_by_sender: boolean;
  deliver_at: TimeColumn;
  failed: Filled<boolean>;
}

export interface SchemaBackfillsTable {
  name: string;
  table_name: string;
  key_column: string;
  statement: string;
  checkpoint: number | null;
  first_key: number | null;
  target: number | null;
  changed_rows: Filled<number>;
  created_at: Filled<TimeColumn>;
  updated_at: TimeColumn | null;
  finished_at: TimeColumn | null;
  problem: string | null;
}

export interface ScimAttributesTable {
  realm_id: number;
  path: string;
  field_id: number;
}

export interface ScimGroupsTable {
  group_id: number;
  realm_id: number;
  external_id: string | null;
  modified_at: TimeColumn;
}

export interface ScimTokensTable {
  id: Filled<number>;
  realm_id: number;
  name: string;
  token_hash: Buffer;
  created_at: Filled<TimeColumn>;
  last_used_at: TimeColumn | null;
}

export interface ScimUsersTable {
  user_id: number;
  realm_id: number;
  user_name: string | null;
  external_id: string | null;
  attributes: JsonColumn;
  modified_at: TimeColumn;
  deleted_at: TimeColumn | null;
}

export interface SearchProgressTable {
  is_the_only_row: Filled<boolean>;
  message_id: Filled<number>;
}

export interface ServerGenerationsTable {
  realm_id: number;
  release: string;
  generation: Filled<number>;
}

export interface SetupTokensTable {
  token_hash: Buffer;
  created_at: Filled<TimeColumn>;
}

export interface SubmessagesTable {
  id: Filled<number>;
  realm_id: number;
  message_id: number;
  sender_id: number;
  msg_type: string;
  content: string;
}

export interface SubscriptionNoticesTable {
  id: Filled<number>;
  realm_id: number;
  actor_id: number;
  people: JsonColumn;
}

export interface SubscriptionsTable {
  user_id: number;
  channel_id: number;
  realm_id: number;
  active: Filled<boolean>;
  received: Filled<string>;
  read: Filled<string>;
  color: string;
  is_muted: Filled<boolean>;
  pin_to_top: Filled<boolean>;
  desktop_notifications: boolean | null;
  audible_notifications: boolean | null;
  push_notifications: boolean | null;
  email_notifications: boolean | null;
  wildcard_mentions_notify: boolean | null;
}

export interface TopicEditsTable {
  id: Filled<number>;
  realm_id: number;
  topic_id: number;
  user_id: number | null;
  edited_at: Filled<TimeColumn>;
  prev_topic: string;
  topic: string;
  up_to_id: number;
  is_resolution: Filled<boolean>;
}

export interface TopicsTable {
  id: Filled<number>;
  realm_id: number;
  channel_id: number;
  name: string;
  words: string | null;
}

export interface TotpSecretsTable {
  user_id: number;
  realm_id: number;
  sealed_secret: string;
  created_at: Filled<TimeColumn>;
  confirmed_at: TimeColumn | null;
  last_step: Filled<number>;
  last_used_at: TimeColumn | null;
}

export interface UploadSpaceTable {
  realm_id: number;
  bytes: number;
}

export interface UsedSignInsTable {
  realm_id: number;
  hash: Buffer;
  expires_at: TimeColumn;
}

export interface UserGroupMembersTable {
  group_id: number;
  user_id: number;
  realm_id: number;
}

export interface UserGroupSubgroupsTable {
  group_id: number;
  subgroup_id: number;
  realm_id: number;
}

export interface UserGroupsTable {
  id: Filled<number>;
  realm_id: number;
  name: string | null;
  description: Filled<string>;
  is_system: Filled<boolean>;
  max_rank: number | null;
  creator_id: number | null;
  date_created: TimeColumn | null;
  deactivated: Filled<boolean>;
  can_add_members_group_id: number | null;
  can_join_group_id: number | null;
  can_leave_group_id: number | null;
  can_manage_group_id: number | null;
  can_mention_group_id: number | null;
  can_remove_members_group_id: number | null;
  managed_by: string | null;
}

export interface UserMergesTable {
  from_id: number;
  into_id: number;
  realm_id: number;
  started_at: Filled<TimeColumn>;
  first_id: number;
  first_edit_id: number;
  searched_id: Filled<number>;
  searched_edit_id: Filled<number>;
  finished_at: TimeColumn | null;
}

export interface UserStatusesTable {
  user_id: number;
  realm_id: number;
  status_text: Filled<string>;
  emoji_name: Filled<string>;
  emoji_code: Filled<string>;
  reaction_type: Filled<string>;
}

export interface UserTopicsTable {
  user_id: number;
  topic_id: number;
  realm_id: number;
  visibility_policy: number;
  last_updated: Filled<TimeColumn>;
  topic_spelling: string | null;
}

export interface UserUploadSpaceTable {
  user_id: number;
  bytes: number;
}

export interface UsersTable {
  id: Filled<number>;
  realm_id: number;
  delivery_email: string;
  full_name: string;
  role: Filled<number>;
  is_active: Filled<boolean>;
  is_bot: Filled<boolean>;
  is_system_bot: Filled<boolean>;
  bot_type: number | null;
  bot_owner_id: number | null;
  date_joined: Filled<TimeColumn>;
  timezone: Filled<string>;
  avatar_source: Filled<string>;
  avatar_version: Filled<number>;
  email_address_visibility: Filled<number>;
  password_hash: string | null;
  can_create_users: Filled<boolean>;
  can_change_user_emails: Filled<boolean>;
  settings: Filled<JsonColumn>;
  version: Filled<number>;
  avatar_key: string | null;
  chosen_settings: Filled<string[]>;
  is_imported_stub: Filled<boolean>;
}

export interface WebReleasesTable {
  id: string;
  files: string[];
  published_at: TimeColumn | null;
  seen_at: Filled<TimeColumn>;
}

export interface WebhookDeliveriesTable {
  message_id: number;
  bot_id: number;
  realm_id: number;
  tries: Filled<number>;
  taken_until: TimeColumn | null;
}

export interface Schema {
  alert_word_versions: AlertWordVersionsTable;
  alert_words: AlertWordsTable;
  api_keys: ApiKeysTable;
  attachment_messages: AttachmentMessagesTable;
  attachments: AttachmentsTable;
  audit_destinations: AuditDestinationsTable;
  audit_heads: AuditHeadsTable;
  audit_log: AuditLogTable;
  bot_storage: BotStorageTable;
  bots: BotsTable;
  browser_sessions: BrowserSessionsTable;
  cell: CellTable;
  channel_folders: ChannelFoldersTable;
  channel_subscriber_counts: ChannelSubscriberCountsTable;
  channels: ChannelsTable;
  clients: ClientsTable;
  confirmations: ConfirmationsTable;
  conversations: ConversationsTable;
  custom_emoji: CustomEmojiTable;
  custom_profile_fields: CustomProfileFieldsTable;
  custom_profile_values: CustomProfileValuesTable;
  default_channel_group_channels: DefaultChannelGroupChannelsTable;
  default_channel_groups: DefaultChannelGroupsTable;
  deleted_messages: DeletedMessagesTable;
  drafts: DraftsTable;
  event_log: EventLogTable;
  event_queues: EventQueuesTable;
  external_identities: ExternalIdentitiesTable;
  fetched_images: FetchedImagesTable;
  finished_onboarding_steps: FinishedOnboardingStepsTable;
  identity_providers: IdentityProvidersTable;
  import_emoji: ImportEmojiTable;
  import_files: ImportFilesTable;
  import_followers: ImportFollowersTable;
  import_ids: ImportIdsTable;
  import_map: ImportMapTable;
  import_messages: ImportMessagesTable;
  import_order: ImportOrderTable;
  import_people: ImportPeopleTable;
  import_places: ImportPlacesTable;
  import_read_states: ImportReadStatesTable;
  import_threads: ImportThreadsTable;
  import_topics: ImportTopicsTable;
  import_unread: ImportUnreadTable;
  imports: ImportsTable;
  incoming_deliveries: IncomingDeliveriesTable;
  invitation_links: InvitationLinksTable;
  invitations: InvitationsTable;
  job_workers: JobWorkersTable;
  ldap_syncs: LdapSyncsTable;
  link_previews: LinkPreviewsTable;
  login_failures: LoginFailuresTable;
  maintenance: MaintenanceTable;
  message_edits: MessageEditsTable;
  message_flags: MessageFlagsTable;
  message_search: MessageSearchTable;
  messages: MessagesTable;
  missed_message_batches: MissedMessageBatchesTable;
  missed_messages: MissedMessagesTable;
  muted_users: MutedUsersTable;
  navigation_views: NavigationViewsTable;
  notification_progress: NotificationProgressTable;
  notification_revisits: NotificationRevisitsTable;
  outgoing_webhooks: OutgoingWebhooksTable;
  participations: ParticipationsTable;
  passkeys: PasskeysTable;
  pending_files: PendingFilesTable;
  presences: PresencesTable;
  provider_sessions: ProviderSessionsTable;
  push_devices: PushDevicesTable;
  pushes: PushesTable;
  reactions: ReactionsTable;
  realm_deletions: RealmDeletionsTable;
  realm_domains: RealmDomainsTable;
  realm_exports: RealmExportsTable;
  realm_import_channels: RealmImportChannelsTable;
  realm_import_parts: RealmImportPartsTable;
  realm_import_people: RealmImportPeopleTable;
  realm_imports: RealmImportsTable;
  realm_linkifiers: RealmLinkifiersTable;
  realm_move_changes: RealmMoveChangesTable;
  realm_moves: RealmMovesTable;
  realm_playgrounds: RealmPlaygroundsTable;
  realms: RealmsTable;
  recovery_codes: RecoveryCodesTable;
  reminders: RemindersTable;
  resumable_upload_parts: ResumableUploadPartsTable;
  resumable_uploads: ResumableUploadsTable;
  saml_requests: SamlRequestsTable;
  saved_snippets: SavedSnippetsTable;
  scheduled_messages: ScheduledMessagesTable;
  schema_backfills: SchemaBackfillsTable;
  scim_attributes: ScimAttributesTable;
  scim_groups: ScimGroupsTable;
  scim_tokens: ScimTokensTable;
  scim_users: ScimUsersTable;
  search_progress: SearchProgressTable;
  server_generations: ServerGenerationsTable;
  setup_tokens: SetupTokensTable;
  submessages: SubmessagesTable;
  subscription_notices: SubscriptionNoticesTable;
  subscriptions: SubscriptionsTable;
  topic_edits: TopicEditsTable;
  topics: TopicsTable;
  totp_secrets: TotpSecretsTable;
  upload_space: UploadSpaceTable;
  used_sign_ins: UsedSignInsTable;
  user_group_members: UserGroupMembersTable;
  user_group_subgroups: UserGroupSubgroupsTable;
  user_groups: UserGroupsTable;
  user_merges: UserMergesTable;
  user_statuses: UserStatusesTable;
  user_topics: UserTopicsTable;
  user_upload_space: UserUploadSpaceTable;
  users: UsersTable;
  web_releases: WebReleasesTable;
  webhook_deliveries: WebhookDeliveriesTable;
}
