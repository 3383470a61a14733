/** Deliveries of GitLab, with the fields it sends; people and projects are made up. */
import type { Fixture } from "./fixture.ts";

const site = "https://gitlab.example.com/harbor/pumps";

const mira = {
  id: 41,
  name: "Mira Moor",
  username: "mira",
  avatar_url: "https://gitlab.example.com/avatar/41.png",
  email: "mira@example.com",
};
const otto = { ...mira, id: 42, name: "Otto Ost", username: "otto", email: "[REDACTED]" };

const project = {
  id: 15,
  name: "Pumps",
  description: "Keeps the water out",
  web_url: site,
  avatar_url: null,
  git_ssh_url: "git@gitlab.example.com:harbor/pumps.git",
  git_http_url: `${site}.git`,
  namespace: "Harbor",
  visibility_level: 0,
  path_with_namespace: "harbor/pumps",
  default_branch: "main",
  ci_config_path: null,
  homepage: site,
  url: "git@gitlab.example.com:harbor/pumps.git",
  ssh_url: "git@gitlab.example.com:harbor/pumps.git",
  http_url: `${site}.git`,
};
const repository = {
  name: "Pumps",
  url: project.url,
  description: project.description,
  homepage: site,
  git_http_url: project.git_http_url,
  git_ssh_url: project.git_ssh_url,
  visibility_level: 0,
};

const before = "95790bf891e76fee5e1747ab589903a6a1f80f22";
const after = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7";
const nothing = "0".repeat(40);

const commit = {
  id: after,
  message: "Close the valve before the pump stops\n\nOtherwise water runs back.",
  title: "Close the valve before the pump stops",
  timestamp: "2025-06-02T12:00:00+02:00",
  url: `${site}/-/commit/${after}`,
  author: { name: "Mira Moor", email: "mira@example.com" },
  added: [],
  modified: ["src/valve.ts"],
  removed: [],
};

const push = {
  object_kind: "push",
  event_name: "push",
  before,
  after,
  ref: "refs/heads/main",
  ref_protected: true,
  checkout_sha: after,
  message: null,
  user_id: mira.id,
  user_name: mira.name,
  user_username: mira.username,
  user_email: "",
  user_avatar: mira.avatar_url,
  project_id: project.id,
  project,
  commits: [commit],
  total_commits_count: 3,
  push_options: {},
  repository,
};

const issueAttributes = {
  id: 301,
  iid: 23,
  title: "Water runs back",
  description: "When the pump stops, the basin fills again.",
  author_id: otto.id,
  project_id: project.id,
  state: "opened",
  state_id: 1,
  confidential: false,
  labels: [],
  created_at: "2025-06-02 10:00:00 UTC",
  updated_at: "2025-06-02 10:00:00 UTC",
  url: `${site}/-/issues/23`,
  assignee_ids: [42],
  assignee_id: 42,
  severity: "unknown",
};
const issue = (action: string) => ({
  object_kind: "issue",
  event_type: "issue",
  user: mira,
  project,
  object_attributes: { ...issueAttributes, action },
  labels: [],
  changes: {},
  repository,
  assignees: [otto],
});

const mergeAttributes = {
  id: 99,
  iid: 4,
  title: "Close the valve first",
  description: "Fixes the backflow.",
  target_branch: "main",
  source_branch: "valve",
  source_project_id: 15,
  target_project_id: 15,
  author_id: mira.id,
  assignee_ids: [],
  state: "opened",
  merge_status: "unchecked",
  detailed_merge_status: "not_open",
  draft: false,
  work_in_progress: false,
  created_at: "2025-06-02 10:00:00 UTC",
  updated_at: "2025-06-02 10:00:00 UTC",
  url: `${site}/-/merge_requests/4`,
  source: project,
  target: project,
  last_commit: commit,
};
const merge = (action: string, more: object = {}) => ({
  object_kind: "merge_request",
  event_type: "merge_request",
  user: mira,
  project,
  object_attributes: { ...mergeAttributes, ...more, action },
  labels: [],
  changes: {},
  repository,
  assignees: [],
  reviewers: [],
});

const note = (type: string, more: object) => ({
  object_kind: "note",
  event_type: "note",
  user: mira,
  project_id: project.id,
  project,
  repository,
  object_attributes: {
    id: 1244,
    note: "I can see it too.",
    noteable_type: type,
    author_id: mira.id,
    created_at: "2025-06-02 10:00:00 UTC",
    updated_at: "2025-06-02 10:00:00 UTC",
    project_id: project.id,
    attachment: null,
    line_code: null,
    commit_id: "",
    noteable_id: 301,
    system: false,
    st_diff: null,
    action: "create",
    url: `${site}/-/issues/23#note_1244`,
  },
  ...more,
});

const delivery = (
  name: string,
  event: string,
  payload: object,
  report?: { topic: string; content: string },
  options?: Record<string, string>,
): Fixture => ({
  name: `gitlab ${name}`,
  headers: {
    "content-type": "application/json",
    "user-agent": "GitLab/17.5.0",
    "x-gitlab-event": event,
    "x-gitlab-instance": "https://gitlab.example.com",
    "x-gitlab-webhook-uuid": "6f5f5f0e-7a51-4b5e-9e3b-000000000001",
    "x-gitlab-event-uuid": "6f5f5f0e-7a51-4b5e-9e3b-000000000002",
  },
  payload,
  ...(options ? { options } : {}),
  reports: report ? [report] : [],
});

const quoted = (text: string) => `\`\`\` quote\n${text}\n\`\`\``;
const commitLink = `[da156088](${site}/-/commit/${after})`;
const issueTopic = "Pumps / issue #23 Water runs back";
const issueLink = `[issue #23 Water runs back](${site}/-/issues/23)`;
const mergeTopic = "Pumps / MR #4 Close the valve first";
const mergeLink = `[MR !4 Close the valve first](${site}/-/merge_requests/4)`;
const commented = `Mira Moor [commented](${site}/-/issues/23#note_1244) on`;

const job = {
  object_kind: "build",
  ref: "main",
  tag: false,
  before_sha: before,
  sha: after,
  retries_count: 0,
  build_id: 1977,
  build_name: "test",
  build_stage: "test",
  build_status: "failed",
  build_created_at: "2025-06-02 10:00:00 UTC",
  build_started_at: "2025-06-02 10:01:00 UTC",
  build_finished_at: "2025-06-02 10:02:00 UTC",
  build_duration: 60.5,
  build_queued_duration: 3.1,
  build_allow_failure: false,
  build_failure_reason: "script_failure",
  pipeline_id: 2366,
  runner: { id: 1, description: "runner", runner_type: "project_type", active: true, is_shared: false, tags: [] },
  project_id: 15,
  project_name: "Harbor / Pumps",
  user: mira,
  commit: { id: 2366, name: "Build", sha: after, message: commit.message, status: "failed" },
  repository,
  project,
  environment: null,
};

export const gitlabFixtures: Fixture[] = [
  delivery("push", "Push Hook", push, {
    topic: "Pumps / main",
    content:
      `Mira Moor [pushed](${site}/-/compare/${before}...${after}) 3 commits to the branch \`main\`.\n\n` +
      `* Close the valve before the pump stops (${commitLink})\n* … and 2 more`,
  }),
  delivery(
    "push, from a system hook",
    "System Hook",
    { ...push, before: nothing, total_commits_count: 1 },
    {
      topic: "Pumps / main",
      content:
        "Mira Moor pushed 1 commit to the new branch `main`.\n\n" +
        `* Close the valve before the pump stops (${commitLink})`,
    },
  ),
  delivery(
    "deleted branch",
    "Push Hook",
    { ...push, after: nothing, checkout_sha: null, commits: [], total_commits_count: 0 },
    { topic: "Pumps / main", content: "Mira Moor deleted the branch `main`." },
  ),
  delivery(
    "new branch",
    "Push Hook",
    { ...push, ref: "refs/heads/valve", before: nothing, commits: [], total_commits_count: 0 },
    { topic: "Pumps / valve", content: "Mira Moor created the branch `valve`." },
  ),
  delivery("push to a branch that is not listed", "Push Hook", push, undefined, { branches: "release" }),
  delivery(
    "tag",
    "Tag Push Hook",
    { ...push, object_kind: "tag_push", event_name: "tag_push", before: nothing, ref: "refs/tags/v1.2", commits: [] },
    { topic: "Pumps", content: `Mira Moor pushed the tag [v1.2](${site}/-/tags/v1.2).` },
  ),
  delivery("issue opened", "Issue Hook", issue("open"), {
    topic: issueTopic,
    content: `Mira Moor opened ${issueLink}, assigned to Otto Ost:\n\n${quoted("When the pump stops, the basin fills again.")}`,
  }),
  delivery("confidential issue closed", "Confidential Issue Hook", issue("close"), {
    topic: issueTopic,
    content: `Mira Moor closed ${issueLink}.`,
  }),
  delivery("merge request opened", "Merge Request Hook", merge("open"), {
    topic: mergeTopic,
    content: `Mira Moor opened ${mergeLink} from \`valve\` to \`main\`:\n\n${quoted("Fixes the backflow.")}`,
  }),
  delivery("merge request updated", "Merge Request Hook", merge("update", { oldrev: before }), {
    topic: mergeTopic,
    content: `Mira Moor updated ${mergeLink} to ${commitLink}.`,
  }),
  delivery("merge request merged", "Merge Request Hook", merge("merge", { state: "merged" }), {
    topic: mergeTopic,
    content: `Mira Moor merged ${mergeLink} into \`main\`.`,
  }),
  delivery("merge request approved", "Merge Request Hook", merge("approved"), {
    topic: mergeTopic,
    content: `Mira Moor approved ${mergeLink}.`,
  }),
  delivery("note on an issue", "Note Hook", note("Issue", { issue: issueAttributes }), {
    topic: issueTopic,
    content: `${commented} ${issueLink}:\n\n${quoted("I can see it too.")}`,
  }),
  delivery("confidential note", "Confidential Note Hook", note("MergeRequest", { merge_request: mergeAttributes }), {
    topic: mergeTopic,
    content: `${commented} ${mergeLink}:\n\n${quoted("I can see it too.")}`,
  }),
  delivery("note on a commit", "Note Hook", note("Commit", { commit }), {
    topic: "Pumps",
    content: `${commented} ${commitLink}:\n\n${quoted("I can see it too.")}`,
  }),
  delivery(
    "note on a snippet",
    "Note Hook",
    note("Snippet", { snippet: { id: 53, title: "Drawing", url: `${site}/-/snippets/53`, file_name: "a.txt" } }),
    {
      topic: "Pumps / snippet #53 Drawing",
      content: `${commented} [snippet #53 Drawing](${site}/-/snippets/53):\n\n${quoted("I can see it too.")}`,
    },
  ),
  delivery(
    "pipeline",
    "Pipeline Hook",
    {
      object_kind: "pipeline",
      object_attributes: {
        id: 31,
        iid: 3,
        name: null,
        ref: "main",
        tag: false,
        sha: after,
        before_sha: before,
        source: "push",
        status: "failed",
        detailed_status: "failed",
        stages: ["build", "test"],
        created_at: "2025-06-02 10:00:00 UTC",
        finished_at: "2025-06-02 10:02:00 UTC",
        duration: 63,
        queued_duration: 1,
        variables: [],
        url: `${site}/-/pipelines/31`,
      },
      merge_request: null,
      user: mira,
      project,
      commit,
      builds: [
        { id: 380, stage: "build", name: "compile", status: "success", user: mira, runner: null },
        { id: 381, stage: "test", name: "test", status: "failed", user: mira, runner: null },
      ],
    },
    {
      topic: "Pumps / main",
      content:
        `[Pipeline #31](${site}/-/pipelines/31) of \`main\`, started by Mira Moor, failed after 63 s.\n\n` +
        `* [compile](${site}/-/jobs/380) succeeded\n* [test](${site}/-/jobs/381) failed`,
    },
  ),
  delivery("job", "Job Hook", job, {
    topic: "Pumps / main",
    content: `The job [test](${site}/-/jobs/1977) in the stage \`test\`, started by Mira Moor, failed (script failure).`,
  }),
  delivery(
    "build, its older name",
    "Build Hook",
    { ...job, build_status: "success" },
    {
      topic: "Pumps / main",
      content: `The job [test](${site}/-/jobs/1977) in the stage \`test\`, started by Mira Moor, succeeded.`,
    },
  ),
  delivery(
    "wiki page",
    "Wiki Page Hook",
    {
      object_kind: "wiki_page",
      user: mira,
      project,
      wiki: { web_url: `${site}/-/wikis/home`, default_branch: "main", path_with_namespace: "harbor/pumps.wiki" },
      object_attributes: {
        slug: "grease",
        title: "Grease",
        format: "markdown",
        message: "Add the new one",
        content: "…",
        version_id: after,
        url: `${site}/-/wikis/grease`,
        action: "create",
        diff_url: `${site}/-/wikis/grease/diff`,
      },
    },
    {
      topic: "Pumps",
      content: `Mira Moor created the wiki page [Grease](${site}/-/wikis/grease):\n\n${quoted("Add the new one")}`,
    },
  ),
  delivery(
    "release",
    "Release Hook",
    {
      object_kind: "release",
      id: 1,
      created_at: "2025-06-02 10:00:00 UTC",
      description: "* quieter",
      name: "Spring tide",
      released_at: "2025-06-02 10:00:00 UTC",
      tag: "v1.2",
      project,
      url: `${site}/-/releases/v1.2`,
      action: "create",
      assets: { count: 0, links: [], sources: [] },
      commit,
    },
    {
      topic: "Pumps",
      content: `The release [Spring tide](${site}/-/releases/v1.2) of the tag \`v1.2\` was created:\n\n${quoted("* quieter")}`,
    },
  ),
  delivery(
    "feature flag",
    "Feature Flag Hook",
    {
      object_kind: "feature_flag",
      project,
      user: mira,
      user_url: "https://gitlab.example.com/mira",
      object_attributes: { id: 6, name: "night-mode", description: "Runs slower at night", active: true },
    },
    {
      topic: "Pumps",
      content: `Mira Moor turned the feature flag \`night-mode\` on:\n\n${quoted("Runs slower at night")}`,
    },
  ),
  delivery(
    "deployment",
    "Deployment Hook",
    {
      object_kind: "deployment",
      status: "success",
      status_changed_at: "2025-06-02 10:00:00 +0200",
      deployment_id: 15,
      deployable_id: 796,
      deployable_url: `${site}/-/jobs/796`,
      environment: "staging",
      environment_tier: "staging",
      environment_slug: "staging",
      environment_external_url: "https://staging.example.com",
      project,
      short_sha: "da156088",
      user: mira,
      user_url: "https://gitlab.example.com/mira",
      commit_url: `${site}/-/commit/${after}`,
      commit_title: commit.title,
      ref: "main",
    },
    {
      topic: "Pumps / Deployment on staging",
      content: `[The deployment](${site}/-/jobs/796) of ${commitLink} to \`staging\`, started by Mira Moor, succeeded.`,
    },
  ),
  delivery(
    "access token of a group",
    "Resource Access Token Hook",
    {
      object_kind: "access_token",
      group: { group_name: "Harbor", group_path: "harbor", group_id: 35, full_path: "harbor" },
      object_attributes: {
        user_id: 90,
        created_at: "2025-01-01 00:00:00 UTC",
        id: 26,
        name: "mirrors",
        expires_at: "2025-07-01",
      },
      event_name: "expiring_access_token",
    },
    { topic: "Harbor", content: "The access token `mirrors` of the group Harbor expires on 2025-07-01." },
  ),
  delivery(
    "push back to an existing commit",
    "Push Hook",
    { ...push, commits: [], total_commits_count: 0 },
    {
      topic: "Pumps / main",
      content: `Mira Moor [moved](${site}/-/compare/${before}...${after}) the branch \`main\` to [da156088](${site}/-/commit/${after}).`,
    },
  ),
  delivery(
    "issue without an action, from a test delivery",
    "Issue Hook",
    { ...issue("update"), object_attributes: issueAttributes },
    {
      topic: "Pumps / issue #23 Water runs back",
      content: `Mira Moor updated [issue #23 Water runs back](${site}/-/issues/23).`,
    },
  ),
  delivery(
    "edited comment",
    "Note Hook",
    {
      object_kind: "note",
      event_type: "note",
      user: mira,
      project_id: 15,
      project,
      repository,
      object_attributes: {
        id: 1241,
        note: "Seen on basin 3 as well",
        noteable_type: "Issue",
        action: "update",
        url: `${site}/-/issues/23#note_1241`,
      },
      issue: issueAttributes,
    },
    {
      topic: "Pumps / issue #23 Water runs back",
      content: `Mira Moor edited a [comment](${site}/-/issues/23#note_1241) on [issue #23 Water runs back](${site}/-/issues/23):\n\n${quoted("Seen on basin 3 as well")}`,
    },
  ),
  delivery(
    "event of a system hook, ignored",
    "System Hook",
    { event_name: "repository_update", user_id: 1, project_id: 15, project, changes: [], refs: ["refs/heads/main"] },
    undefined,
  ),
  delivery(
    "access token",
    "Resource Access Token Hook",
    {
      object_kind: "access_token",
      project,
      object_attributes: {
        user_id: 90,
        created_at: "2025-01-01 00:00:00 UTC",
        id: 25,
        name: "deploys",
        expires_at: "2025-07-01",
      },
      event_name: "expiring_access_token",
    },
    { topic: "Pumps", content: `The access token \`deploys\` of [Pumps](${site}) expires on 2025-07-01.` },
  ),
];
