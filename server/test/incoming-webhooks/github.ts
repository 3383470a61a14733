/** Deliveries of GitHub, with all the fields it sends; people and repositories are made up. */
import type { Fixture } from "./fixture.ts";

const api = "https://api.github.com";
const site = "https://github.com";

function user(login: string, id: number) {
  const its = `${api}/users/${login}`;
  return {
    login,
    id,
    node_id: `U_kgDO${id}`,
    avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
    gravatar_id: "",
    url: its,
    html_url: `${site}/${login}`,
    followers_url: `${its}/followers`,
    following_url: `${its}/following{/other_user}`,
    gists_url: `${its}/gists{/gist_id}`,
    starred_url: `${its}/starred{/owner}{/repo}`,
    subscriptions_url: `${its}/subscriptions`,
    organizations_url: `${its}/orgs`,
    repos_url: `${its}/repos`,
    events_url: `${its}/events{/privacy}`,
    received_events_url: `${its}/received_events`,
    type: "User",
    user_view_type: "public",
    site_admin: false,
  };
}

const mira = user("mira", 4101);
const otto = user("otto", 4102);
const harbor = { ...user("harbor", 9001), type: "Organization" };

const endings = {
  forks_url: "/forks",
  keys_url: "/keys{/key_id}",
  collaborators_url: "/collaborators{/collaborator}",
  teams_url: "/teams",
  hooks_url: "/hooks",
  issue_events_url: "/issues/events{/number}",
  events_url: "/events",
  assignees_url: "/assignees{/user}",
  branches_url: "/branches{/branch}",
  tags_url: "/tags",
  blobs_url: "/git/blobs{/sha}",
  git_tags_url: "/git/tags{/sha}",
  git_refs_url: "/git/refs{/sha}",
  trees_url: "/git/trees{/sha}",
  statuses_url: "/statuses/{sha}",
  languages_url: "/languages",
  stargazers_url: "/stargazers",
  contributors_url: "/contributors",
  subscribers_url: "/subscribers",
  subscription_url: "/subscription",
  commits_url: "/commits{/sha}",
  git_commits_url: "/git/commits{/sha}",
  comments_url: "/comments{/number}",
  issue_comment_url: "/issues/comments{/number}",
  contents_url: "/contents/{+path}",
  compare_url: "/compare/{base}...{head}",
  merges_url: "/merges",
  archive_url: "/{archive_format}{/ref}",
  downloads_url: "/downloads",
  issues_url: "/issues{/number}",
  pulls_url: "/pulls{/number}",
  milestones_url: "/milestones{/number}",
  notifications_url: "/notifications{?since,all,participating}",
  labels_url: "/labels{/name}",
  releases_url: "/releases{/id}",
  deployments_url: "/deployments",
};

function repositoryOf(owner: ReturnType<typeof user>, name: string, isPrivate = false) {
  const its = `${api}/repos/${owner.login}/${name}`;
  return {
    id: 70_311,
    node_id: "R_kgDOEFGH",
    name,
    full_name: `${owner.login}/${name}`,
    private: isPrivate,
    owner,
    html_url: `${site}/${owner.login}/${name}`,
    description: "Keeps the water out",
    fork: false,
    url: its,
    ...Object.fromEntries(Object.entries(endings).map(([key, ending]) => [key, its + ending])),
    created_at: "2024-02-03T10:00:00Z",
    updated_at: "2025-06-01T10:00:00Z",
    pushed_at: "2025-06-02T10:00:00Z",
    git_url: `git://github.com/${owner.login}/${name}.git`,
    ssh_url: `git@github.com:${owner.login}/${name}.git`,
    clone_url: `${site}/${owner.login}/${name}.git`,
    svn_url: `${site}/${owner.login}/${name}`,
    homepage: null,
    size: 312,
    stargazers_count: 12,
    watchers_count: 12,
    language: "TypeScript",
    has_issues: true,
    has_projects: true,
    has_downloads: true,
    has_wiki: true,
    has_pages: false,
    has_discussions: true,
    forks_count: 3,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: 5,
    license: { key: "mit", name: "MIT License", spdx_id: "MIT", url: `${api}/licenses/mit`, node_id: "MDc6TGlj" },
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: ["water"],
    visibility: isPrivate ? "private" : "public",
    forks: 3,
    open_issues: 5,
    watchers: 12,
    default_branch: "main",
  };
}

const repository = repositoryOf(harbor, "pumps");
const html = repository.html_url;
const common = { repository, organization: harbor, sender: mira };

const sha = "1f3870be274f6c49b3e31a0c6728957f3e2b4a55";
const otherSha = "9b74c9897bac770ffc029102a200c5de9e0f1b21";
const noSha = "0".repeat(40);

const author = (name: string, username: string) => ({ name, email: `${username}@example.com`, username });

const commit = (id: string, message: string, by = author("Mira Moor", "mira")) => ({
  id,
  tree_id: otherSha,
  distinct: true,
  message,
  timestamp: "2025-06-02T12:00:00+02:00",
  url: `${html}/commit/${id}`,
  author: by,
  committer: by,
  added: [],
  removed: [],
  modified: ["src/valve.ts"],
});

const commits = [
  commit(sha, "Close the valve before the pump stops\n\nOtherwise water runs back."),
  commit(otherSha, "Test the valve", author("Otto Ost", "otto")),
];

const push = {
  ref: "refs/heads/main",
  before: noSha.replace("0", "a"),
  after: otherSha,
  repository: { ...repository, created_at: 1_706_954_400, pushed_at: 1_748_858_400, master_branch: "main" },
  pusher: { name: "mira", email: "mira@example.com" },
  organization: harbor,
  sender: mira,
  created: false,
  deleted: false,
  forced: false,
  base_ref: null,
  compare: `${html}/compare/aaaaaaa...9b74c98`,
  commits,
  head_commit: commits[1],
};

const side = (label: string, ref: string, at: string) => ({ label, ref, sha: at, user: harbor, repo: repository });

const pullUrl = `${api}/repos/harbor/pumps/pulls/12`;
const pull = {
  url: pullUrl,
  id: 8_812,
  node_id: "PR_kwDOEFGH",
  html_url: `${html}/pull/12`,
  diff_url: `${html}/pull/12.diff`,
  patch_url: `${html}/pull/12.patch`,
  issue_url: `${api}/repos/harbor/pumps/issues/12`,
  number: 12,
  state: "open",
  locked: false,
  title: "Close the valve first",
  user: mira,
  body: "Fixes the backflow.\n\nSee the drawing.",
  created_at: "2025-06-02T10:00:00Z",
  updated_at: "2025-06-02T11:00:00Z",
  closed_at: null,
  merged_at: null,
  merge_commit_sha: null,
  assignee: null,
  assignees: [],
  requested_reviewers: [],
  requested_teams: [],
  labels: [],
  milestone: null,
  draft: false,
  commits_url: `${pullUrl}/commits`,
  review_comments_url: `${pullUrl}/comments`,
  review_comment_url: `${api}/repos/harbor/pumps/pulls/comments{/number}`,
  comments_url: `${api}/repos/harbor/pumps/issues/12/comments`,
  statuses_url: `${api}/repos/harbor/pumps/statuses/${sha}`,
  head: side("harbor:valve", "valve", sha),
  base: side("harbor:main", "main", otherSha),
  _links: { self: { href: pullUrl }, html: { href: `${html}/pull/12` } },
  author_association: "MEMBER",
  auto_merge: null,
  active_lock_reason: null,
  merged: false,
  mergeable: null,
  rebaseable: null,
  mergeable_state: "unknown",
  merged_by: null,
  comments: 0,
  review_comments: 0,
  maintainer_can_modify: false,
  commits: 1,
  additions: 14,
  deletions: 3,
  changed_files: 2,
};

const issue = {
  url: `${api}/repos/harbor/pumps/issues/7`,
  repository_url: repository.url,
  labels_url: `${api}/repos/harbor/pumps/issues/7/labels{/name}`,
  comments_url: `${api}/repos/harbor/pumps/issues/7/comments`,
  events_url: `${api}/repos/harbor/pumps/issues/7/events`,
  html_url: `${html}/issues/7`,
  id: 5_507,
  node_id: "I_kwDOEFGH",
  number: 7,
  title: "Water runs back",
  user: otto,
  labels: [],
  state: "open",
  locked: false,
  assignee: null,
  assignees: [],
  milestone: null,
  comments: 0,
  created_at: "2025-06-01T10:00:00Z",
  updated_at: "2025-06-01T10:00:00Z",
  closed_at: null,
  author_association: "CONTRIBUTOR",
  type: null,
  active_lock_reason: null,
  body: "When the pump stops, the basin fills again.",
  closed_by: null,
  reactions: { url: `${api}/repos/harbor/pumps/issues/7/reactions`, total_count: 0 },
  timeline_url: `${api}/repos/harbor/pumps/issues/7/timeline`,
  performed_via_github_app: null,
  state_reason: null,
};

const comment = {
  url: `${api}/repos/harbor/pumps/issues/comments/991`,
  html_url: `${html}/issues/7#issuecomment-991`,
  issue_url: issue.url,
  id: 991,
  node_id: "IC_kwDOEFGH",
  user: mira,
  created_at: "2025-06-01T12:00:00Z",
  updated_at: "2025-06-01T12:00:00Z",
  author_association: "MEMBER",
  body: "I can see it too.",
  reactions: { url: `${api}/repos/harbor/pumps/issues/comments/991/reactions`, total_count: 0 },
  performed_via_github_app: null,
};

const discussion = {
  repository_url: repository.url,
  category: {
    id: 31,
    node_id: "DIC_kwDO",
    repository_id: repository.id,
    emoji: ":pray:",
    name: "Q&A",
    description: "Ask",
    created_at: "2024-02-03T10:00:00Z",
    updated_at: "2024-02-03T10:00:00Z",
    slug: "q-a",
    is_answerable: true,
  },
  answer_html_url: null,
  answer_chosen_at: null,
  answer_chosen_by: null,
  html_url: `${html}/discussions/20`,
  id: 2_020,
  node_id: "D_kwDO",
  number: 20,
  title: "Which grease?",
  user: otto,
  state: "open",
  state_reason: null,
  locked: false,
  comments: 0,
  created_at: "2025-06-01T10:00:00Z",
  updated_at: "2025-06-01T10:00:00Z",
  author_association: "CONTRIBUTOR",
  active_lock_reason: null,
  body: "The old one is used up.",
};

const draftRelease = {
  html_url: `${html}/releases/tag/untagged-1`,
  id: 16,
  author: mira,
  tag_name: "v1.3",
  target_commitish: "main",
  name: "Neap tide",
  draft: true,
  prerelease: false,
  body: "",
};

const team = {
  name: "Divers",
  id: 601,
  node_id: "T_kwDO",
  slug: "divers",
  description: "Under water",
  privacy: "closed",
  notification_setting: "notifications_enabled",
  url: `${api}/organizations/9001/team/601`,
  html_url: `${site}/orgs/harbor/teams/divers`,
  members_url: `${api}/organizations/9001/team/601/members{/member}`,
  repositories_url: `${api}/organizations/9001/team/601/repos`,
  permission: "push",
  parent: null,
};

const deployment = {
  url: `${api}/repos/harbor/pumps/deployments/81`,
  id: 81,
  node_id: "DE_kwDO",
  task: "deploy",
  original_environment: "production",
  environment: "production",
  description: "Nightly",
  created_at: "2025-06-02T10:00:00Z",
  updated_at: "2025-06-02T10:00:00Z",
  statuses_url: `${api}/repos/harbor/pumps/deployments/81/statuses`,
  repository_url: repository.url,
  creator: mira,
  sha,
  ref: "main",
  payload: {},
  transient_environment: false,
  production_environment: true,
  performed_via_github_app: null,
};

const delivery = (
  name: string,
  event: string,
  payload: object,
  report?: { topic: string; content: string },
  options?: Record<string, string>,
): Fixture => ({
  name: `github ${name}`,
  headers: {
    "content-type": "application/json",
    "user-agent": "GitHub-Hookshot/044aadd",
    "x-github-event": event,
    "x-github-hook-id": "292430182",
    "x-github-hook-installation-target-id": "70311",
    "x-github-hook-installation-target-type": "repository",
  },
  payload,
  ...(options ? { options } : {}),
  reports: report ? [report] : [],
});

const pullTopic = "pumps / PR #12 Close the valve first";
const pullLink = `[PR #12 Close the valve first](${html}/pull/12)`;
const pullChange = (action: string, more: object = {}) => ({
  action,
  number: 12,
  pull_request: pull,
  ...common,
  ...more,
});
const onPull = (name: string, payload: object, content: string) =>
  delivery(`pull request ${name}`, "pull_request", payload, { topic: pullTopic, content });

const issueTopic = "pumps / issue #7 Water runs back";
const issueLink = `[issue #7 Water runs back](${html}/issues/7)`;
const issueChange = (action: string, more: object = {}) => ({ action, issue, ...common, ...more });
const onIssue = (name: string, payload: object, content: string) =>
  delivery(`issue ${name}`, "issues", payload, { topic: issueTopic, content });

const shaLink = `[1f3870b](${html}/commit/${sha})`;
const repositoryLink = `[harbor/pumps](${html})`;
const quoted = (text: string) => `\`\`\` quote\n${text}\n\`\`\``;

export const githubFixtures: Fixture[] = [
  delivery(
    "ping",
    "ping",
    {
      zen: "Keep it logically awesome.",
      hook_id: 292_430_182,
      hook: {
        type: "Repository",
        id: 292_430_182,
        name: "web",
        active: true,
        events: ["push"],
        config: { content_type: "json", insecure_ssl: "0", url: "https://chat.example.com/" },
        updated_at: "2025-06-02T10:00:00Z",
        created_at: "2025-06-02T10:00:00Z",
      },
      repository,
      sender: mira,
    },
    { topic: "pumps", content: `The webhook of ${repositoryLink} works. mira has set it up.` },
  ),
  delivery("push", "push", push, {
    topic: "pumps / main",
    content:
      `mira [pushed](${push.compare}) 2 commits to the branch \`main\`, written by mira, otto.\n\n` +
      `* Close the valve before the pump stops (${shaLink})\n` +
      `* Test the valve ([9b74c98](${html}/commit/${otherSha}))`,
  }),
  delivery(
    "forced push to a new branch",
    "push",
    { ...push, ref: "refs/heads/valve/two", before: noSha, created: true, forced: true, commits: [commits[0]] },
    {
      topic: "pumps / valve/two",
      content:
        `mira [force-pushed](${push.compare}) 1 commit to the new branch \`valve/two\`.\n\n` +
        `* Close the valve before the pump stops (${shaLink})`,
    },
  ),
  delivery(
    "push of a deleted branch",
    "push",
    { ...push, ref: "refs/heads/valve", after: noSha, deleted: true, commits: [], head_commit: null },
    { topic: "pumps / valve", content: "mira deleted the branch `valve`." },
  ),
  delivery("push to a branch that is not listed", "push", push, undefined, { branches: "release*, next" }),
  delivery(
    "push of a tag",
    "push",
    { ...push, ref: "refs/tags/v1.2", before: noSha, created: true, base_ref: "refs/heads/main", commits: [] },
    { topic: "pumps", content: `mira pushed the tag [v1.2](${html}/tree/v1.2).` },
  ),
  delivery(
    "push to a private repository, ignored",
    "push",
    { ...push, repository: repositoryOf(harbor, "safe", true) },
    undefined,
    { ignore_private_repositories: "true" },
  ),
  delivery(
    "push by a merge queue, without a sender",
    "push",
    { ...push, sender: null, pusher: { name: "github-merge-queue[bot]", email: null }, commits: commits.slice(0, 1) },
    {
      topic: "pumps / main",
      content:
        `github-merge-queue[bot] [pushed](${push.compare}) 1 commit to the branch \`main\`.\n\n` +
        `* Close the valve before the pump stops (${shaLink})`,
    },
  ),
  delivery(
    "forced push back to an existing commit",
    "push",
    { ...push, forced: true, after: sha, commits: [], head_commit: commits[0] },
    { topic: "pumps / main", content: `mira [force-pushed](${push.compare}) the branch \`main\` to ${shaLink}.` },
  ),
  delivery(
    "push without new commits",
    "push",
    { ...push, after: sha, commits: [], head_commit: commits[0] },
    { topic: "pumps / main", content: `mira [moved](${push.compare}) the branch \`main\` to ${shaLink}.` },
  ),
  delivery(
    "push that deletes a tag",
    "push",
    { ...push, ref: "refs/tags/v1.1", deleted: true, after: noSha, commits: [], head_commit: null },
    { topic: "pumps", content: "mira deleted the tag `v1.1`." },
  ),
  delivery(
    "push that moves a tag",
    "push",
    { ...push, ref: "refs/tags/v1.1", forced: true, after: sha, commits: [] },
    { topic: "pumps", content: `mira moved the tag [v1.1](${html}/tree/v1.1).` },
  ),
  delivery(
    "new branch",
    "create",
    { ref: "valve", ref_type: "branch", master_branch: "main", description: null, pusher_type: "user", ...common },
    { topic: "pumps / valve", content: "mira created the branch `valve`." },
  ),
  delivery(
    "deleted tag",
    "delete",
    { ref: "v1.1", ref_type: "tag", pusher_type: "user", ...common },
    { topic: "pumps", content: "mira deleted the tag `v1.1`." },
  ),
  delivery(
    "comment on a commit",
    "commit_comment",
    {
      action: "created",
      comment: {
        ...comment,
        html_url: `${html}/commit/1f3870b#commitcomment-5`,
        commit_id: sha,
        path: null,
        position: null,
        line: null,
        body: "Nice.",
      },
      ...common,
    },
    {
      topic: "pumps",
      content: `mira [commented](${html}/commit/1f3870b#commitcomment-5) on ${shaLink}:\n\n${quoted("Nice.")}`,
    },
  ),
  delivery(
    "wiki",
    "gollum",
    {
      pages: [
        {
          page_name: "Grease",
          title: "Grease",
          summary: null,
          action: "edited",
          sha,
          html_url: `${html}/wiki/Grease`,
        },
      ],
      ...common,
    },
    {
      topic: "pumps / wiki pages",
      content: `mira changed the wiki of ${repositoryLink}:\n\n* edited [Grease](${html}/wiki/Grease)`,
    },
  ),
  onPull(
    "opened",
    pullChange("opened"),
    `mira opened ${pullLink} from \`harbor:valve\` to \`main\`:\n\n${quoted("Fixes the backflow.\n\nSee the drawing.")}`,
  ),
  onPull(
    "opened as a draft without words",
    pullChange("opened", { pull_request: { ...pull, draft: true, body: null } }),
    `mira opened the draft ${pullLink} from \`harbor:valve\` to \`main\`.`,
  ),
  onPull(
    "updated",
    pullChange("synchronize", { before: otherSha, after: sha }),
    `mira updated ${pullLink} to ${shaLink}.`,
  ),
  onPull(
    "edited",
    pullChange("edited", { changes: { title: { from: "Valve" }, body: { from: "Words" } } }),
    `mira edited ${pullLink}.\n\nIt was called: Valve\n\n${quoted("Fixes the backflow.\n\nSee the drawing.")}`,
  ),
  onPull(
    "merged",
    pullChange("closed", { pull_request: { ...pull, state: "closed", merged: true, merged_by: mira } }),
    `mira merged ${pullLink} into \`main\`.`,
  ),
  onPull("closed", pullChange("closed"), `mira closed ${pullLink} without merging it.`),
  onPull("reopened", pullChange("reopened"), `mira reopened ${pullLink}.`),
  onPull("assigned", pullChange("assigned", { assignee: otto }), `mira assigned otto to ${pullLink}.`),
  onPull("unassigned", pullChange("unassigned", { assignee: otto }), `mira unassigned otto from ${pullLink}.`),
  onPull(
    "review requested of a team",
    pullChange("review_requested", { requested_team: team }),
    `mira asked Divers for a review of ${pullLink}.`,
  ),
  onPull("ready", pullChange("ready_for_review"), `mira marked ${pullLink} as ready for review.`),
  onPull("auto-merge", pullChange("auto_merge_enabled", { reason: "" }), `mira turned on auto-merge for ${pullLink}.`),
  onPull("locked", pullChange("locked"), `mira locked the conversation of ${pullLink}.`),
  delivery("pull request labeled", "pull_request", pullChange("labeled", { label: { name: "bug" } })),
  delivery(
    "review",
    "pull_request_review",
    {
      action: "submitted",
      review: {
        id: 71,
        node_id: "PRR_kwDO",
        user: mira,
        body: "Well done.",
        commit_id: sha,
        submitted_at: "2025-06-02T10:00:00Z",
        state: "approved",
        html_url: `${html}/pull/12#pullrequestreview-71`,
        pull_request_url: pullUrl,
        author_association: "MEMBER",
        _links: { html: { href: `${html}/pull/12#pullrequestreview-71` }, pull_request: { href: pullUrl } },
      },
      pull_request: pull,
      ...common,
    },
    {
      topic: pullTopic,
      content: `mira [approved](${html}/pull/12#pullrequestreview-71) ${pullLink}:\n\n${quoted("Well done.")}`,
    },
  ),
  delivery("review that only holds comments", "pull_request_review", {
    action: "submitted",
    review: { id: 72, user: mira, body: null, state: "commented", html_url: `${html}/pull/12#pullrequestreview-72` },
    pull_request: pull,
    ...common,
  }),
  delivery(
    "comment in a review",
    "pull_request_review_comment",
    {
      action: "created",
      comment: {
        ...comment,
        html_url: `${html}/pull/12#discussion_r5`,
        pull_request_review_id: 72,
        diff_hunk: "@@ -1,2 +1,3 @@",
        path: "src/valve.ts",
        position: 3,
        original_position: 3,
        line: 14,
        original_line: 14,
        side: "RIGHT",
        commit_id: sha,
        original_commit_id: sha,
        body: "Why twice?",
      },
      pull_request: pull,
      ...common,
    },
    {
      topic: pullTopic,
      content: `mira [commented](${html}/pull/12#discussion_r5) on ${pullLink} at \`src/valve.ts:14\`:\n\n${quoted("Why twice?")}`,
    },
  ),
  delivery(
    "resolved conversation",
    "pull_request_review_thread",
    {
      action: "resolved",
      thread: { node_id: "PRRT_kwDO", comments: [{ ...comment, html_url: `${html}/pull/12#discussion_r5` }] },
      pull_request: pull,
      ...common,
    },
    { topic: pullTopic, content: `mira resolved [a conversation](${html}/pull/12#discussion_r5) of ${pullLink}.` },
  ),
  onIssue(
    "opened",
    issueChange("opened"),
    `mira opened ${issueLink}:\n\n${quoted("When the pump stops, the basin fills again.")}`,
  ),
  onIssue(
    "closed",
    issueChange("closed", { issue: { ...issue, state: "closed", state_reason: "not_planned" } }),
    `mira closed ${issueLink} as not planned.`,
  ),
  onIssue("assigned", issueChange("assigned", { assignee: otto }), `mira assigned otto to ${issueLink}.`),
  onIssue(
    "labeled",
    issueChange("labeled", { label: { id: 1, name: "leak", color: "0000ff", default: false, description: null } }),
    `mira added the label \`leak\` to ${issueLink}.`,
  ),
  onIssue(
    "unlabeled because the label was deleted",
    issueChange("unlabeled"),
    `mira removed a label from ${issueLink}.`,
  ),
  onIssue("demilestoned", issueChange("demilestoned"), `mira removed ${issueLink} from a milestone.`),
  onIssue(
    "typed",
    issueChange("typed", { type: { id: 1, name: "Bug", color: "red", description: null } }),
    `mira set the type of ${issueLink} to \`Bug\`.`,
  ),
  onIssue("locked", issueChange("locked"), `mira locked the conversation of ${issueLink}.`),
  onIssue(
    "closed by an account that has been deleted",
    issueChange("closed", { sender: null }),
    `ghost closed ${issueLink}.`,
  ),
  onIssue(
    "milestoned",
    issueChange("milestoned", { milestone: { title: "Summer", html_url: `${html}/milestone/1`, number: 1 } }),
    `mira added ${issueLink} to the milestone [Summer](${html}/milestone/1).`,
  ),
  onIssue(
    "moved",
    issueChange("transferred", { changes: { new_issue: issue, new_repository: repositoryOf(harbor, "basins") } }),
    `mira moved ${issueLink} to [harbor/basins](${site}/harbor/basins).`,
  ),
  onIssue("pinned", issueChange("pinned"), `mira pinned ${issueLink}.`),
  delivery(
    "comment on an issue",
    "issue_comment",
    { action: "created", issue, comment, ...common },
    {
      topic: issueTopic,
      content: `mira [commented](${html}/issues/7#issuecomment-991) on ${issueLink}:\n\n${quoted("I can see it too.")}`,
    },
  ),
  delivery(
    "edited comment on an issue, with null as its pull request",
    "issue_comment",
    { action: "edited", issue: { ...issue, pull_request: null }, comment, ...common },
    {
      topic: issueTopic,
      content: `mira edited a [comment](${html}/issues/7#issuecomment-991) on ${issueLink}:\n\n${quoted("I can see it too.")}`,
    },
  ),
  delivery(
    "deleted comment on a pull request",
    "issue_comment",
    {
      action: "deleted",
      issue: {
        ...issue,
        number: 12,
        title: pull.title,
        html_url: pull.html_url,
        draft: false,
        pull_request: { url: pullUrl, html_url: pull.html_url, merged_at: null },
      },
      comment,
      ...common,
    },
    { topic: pullTopic, content: `mira deleted a comment on ${pullLink}.` },
  ),
  delivery(
    "discussion",
    "discussion",
    { action: "created", discussion, ...common },
    {
      topic: "pumps discussion #20: Which grease?",
      content: `mira started [discussion #20 Which grease?](${html}/discussions/20) in Q&A:\n\n${quoted("The old one is used up.")}`,
    },
  ),
  ...(
    [
      ["answered", {}, "marked an answer to", " in Q&A"],
      ["labeled", { label: { id: 1, name: "grease" } }, "added the label `grease` to", " in Q&A"],
      ["category_changed", { changes: { category: { from: { name: "Ideas" } } } }, "moved", " to Q&A"],
      ["pinned", {}, "pinned", " in Q&A"],
    ] as const
  ).map(([action, more, verb, where]) =>
    delivery(
      `discussion ${action}`,
      "discussion",
      { action, discussion, ...more, ...common },
      {
        topic: "pumps discussion #20: Which grease?",
        content: `mira ${verb} [discussion #20 Which grease?](${html}/discussions/20)${where}.`,
      },
    ),
  ),
  delivery(
    "comment in a discussion",
    "discussion_comment",
    {
      action: "created",
      comment: { ...comment, html_url: `${html}/discussions/20#discussioncomment-4`, discussion_id: 2_020 },
      discussion,
      ...common,
    },
    {
      topic: "pumps discussion #20: Which grease?",
      content: `mira [commented](${html}/discussions/20#discussioncomment-4) on [discussion #20 Which grease?](${html}/discussions/20):\n\n${quoted("I can see it too.")}`,
    },
  ),
  delivery(
    "release",
    "release",
    {
      action: "published",
      release: {
        url: `${api}/repos/harbor/pumps/releases/15`,
        assets_url: `${api}/repos/harbor/pumps/releases/15/assets`,
        upload_url: "https://uploads.github.com/repos/harbor/pumps/releases/15/assets{?name,label}",
        html_url: `${html}/releases/tag/v1.2`,
        id: 15,
        author: mira,
        node_id: "RE_kwDO",
        tag_name: "v1.2",
        target_commitish: "main",
        name: "Spring tide",
        draft: false,
        prerelease: false,
        created_at: "2025-06-02T10:00:00Z",
        published_at: "2025-06-02T10:00:00Z",
        assets: [],
        tarball_url: `${api}/repos/harbor/pumps/tarball/v1.2`,
        zipball_url: `${api}/repos/harbor/pumps/zipball/v1.2`,
        body: "* quieter",
      },
      ...common,
    },
    {
      topic: "pumps",
      content: `mira published the release [Spring tide](${html}/releases/tag/v1.2) of the tag \`v1.2\`:\n\n${quoted("* quieter")}`,
    },
  ),
  delivery(
    "fork",
    "fork",
    { forkee: { ...repositoryOf(otto, "pumps"), fork: true, public: true }, ...common, sender: otto },
    { topic: "pumps", content: `otto forked ${repositoryLink} as [otto/pumps](${site}/otto/pumps).` },
  ),
  delivery(
    "star",
    "star",
    { action: "created", starred_at: "2025-06-02T10:00:00Z", ...common },
    { topic: "pumps", content: `mira starred ${repositoryLink}.` },
  ),
  delivery(
    "watch",
    "watch",
    { action: "started", ...common },
    { topic: "pumps", content: `mira starred ${repositoryLink}.` },
  ),
  delivery(
    "member",
    "member",
    { action: "added", member: otto, changes: { permission: { to: "write" } }, ...common },
    { topic: "pumps", content: `mira added [otto](${site}/otto) to ${repositoryLink}.` },
  ),
  delivery(
    "repository",
    "repository",
    { action: "archived", ...common },
    {
      topic: "pumps",
      content: `mira archived the repository ${repositoryLink}.`,
    },
  ),
  delivery(
    "renamed repository",
    "repository",
    { action: "renamed", changes: { repository: { name: { from: "taps" } } }, ...common },
    { topic: "pumps", content: `mira renamed the repository ${repositoryLink}, which was called taps.` },
  ),
  delivery(
    "team added to a repository",
    "team",
    { action: "added_to_repository", team, ...common },
    { topic: "team Divers", content: `mira added the team [Divers](${team.html_url}) to ${repositoryLink}.` },
  ),
  delivery(
    "release that is still a draft",
    "release",
    { action: "created", release: draftRelease, ...common },
    undefined,
  ),
  delivery("public", "public", common, { topic: "pumps", content: `mira made ${repositoryLink} public.` }),
  delivery(
    "team on a repository",
    "team_add",
    { team, ...common },
    {
      topic: "pumps",
      content: `The team [Divers](${team.html_url}) now works on ${repositoryLink}.`,
    },
  ),
  delivery(
    "renamed team",
    "team",
    { action: "edited", team, changes: { name: { from: "Swimmers" } }, organization: harbor, sender: mira },
    { topic: "team Divers", content: `mira edited the team [Divers](${team.html_url}), which was called Swimmers.` },
  ),
  delivery(
    "membership",
    "membership",
    { action: "removed", scope: "team", member: otto, team, organization: harbor, sender: mira },
    { topic: "team Divers", content: `mira removed [otto](${site}/otto) from the team [Divers](${team.html_url}).` },
  ),
  delivery(
    "check run",
    "check_run",
    {
      action: "completed",
      check_run: {
        id: 4,
        node_id: "CR_kwDO",
        head_sha: sha,
        external_id: "",
        url: `${api}/repos/harbor/pumps/check-runs/4`,
        html_url: `${html}/runs/4`,
        details_url: "https://ci.example.com/4",
        status: "completed",
        conclusion: "failure",
        started_at: "2025-06-02T10:00:00Z",
        completed_at: "2025-06-02T10:05:00Z",
        output: { title: null, summary: null, text: null, annotations_count: 0 },
        name: "tests",
        check_suite: { id: 5, head_branch: "main", head_sha: sha, status: "completed", conclusion: "failure" },
        app: { id: 6, slug: "ci", name: "CI" },
        pull_requests: [],
      },
      ...common,
    },
    { topic: "pumps / checks", content: `The check [tests](${html}/runs/4) failed for ${shaLink}.` },
  ),
  delivery(
    "status",
    "status",
    {
      id: 3,
      sha,
      name: "harbor/pumps",
      target_url: "https://ci.example.com/3",
      avatar_url: mira.avatar_url,
      context: "ci/tests",
      description: "All is well",
      state: "success",
      commit: { sha, node_id: "C_kwDO", commit: { message: "Test the valve" } },
      branches: [{ name: "main", commit: { sha, url: `${api}/repos/harbor/pumps/commits/${sha}` }, protected: true }],
      created_at: "2025-06-02T10:00:00Z",
      updated_at: "2025-06-02T10:00:00Z",
      ...common,
    },
    { topic: "pumps", content: `${shaLink}: [ci/tests](https://ci.example.com/3) succeeded: All is well` },
  ),
  delivery(
    "workflow run",
    "workflow_run",
    {
      action: "completed",
      workflow_run: {
        id: 30,
        name: "Build",
        node_id: "WFR_kwDO",
        head_branch: "main",
        head_sha: sha,
        path: ".github/workflows/build.yml",
        display_title: "Test the valve",
        run_number: 18,
        event: "push",
        status: "completed",
        conclusion: "success",
        workflow_id: 2,
        url: `${api}/repos/harbor/pumps/actions/runs/30`,
        html_url: `${html}/actions/runs/30`,
        pull_requests: [],
        created_at: "2025-06-02T10:00:00Z",
        updated_at: "2025-06-02T10:05:00Z",
        actor: mira,
        run_attempt: 1,
        triggering_actor: mira,
        head_commit: commits[1],
        repository,
        head_repository: repository,
      },
      workflow: { id: 2, name: "Build", path: ".github/workflows/build.yml", state: "active" },
      ...common,
    },
    {
      topic: "pumps / main",
      content: `The workflow [Build #18](${html}/actions/runs/30) succeeded for ${shaLink} (Test the valve).`,
    },
  ),
  delivery(
    "deployment",
    "deployment",
    { action: "created", deployment, workflow: null, workflow_run: null, ...common },
    {
      topic: "pumps / Deployment on production",
      content: `mira began to deploy \`main\` (${shaLink}) to \`production\`:\n\n${quoted("Nightly")}`,
    },
  ),
  delivery(
    "status of a deployment",
    "deployment_status",
    {
      action: "created",
      deployment_status: {
        url: `${deployment.url}/statuses/9`,
        id: 9,
        node_id: "DES_kwDO",
        state: "success",
        creator: mira,
        description: "",
        environment: "production",
        target_url: "https://deploy.example.com/9",
        created_at: "2025-06-02T10:00:00Z",
        updated_at: "2025-06-02T10:00:00Z",
        deployment_url: deployment.url,
        repository_url: repository.url,
        environment_url: "",
        log_url: "https://deploy.example.com/9",
      },
      deployment,
      ...common,
    },
    {
      topic: "pumps / Deployment on production",
      content: `[The deployment](https://deploy.example.com/9) of ${shaLink} to \`production\` is now \`success\`.`,
    },
  ),
  delivery(
    "page build",
    "page_build",
    {
      id: 11,
      build: {
        url: `${api}/repos/harbor/pumps/pages/builds/11`,
        status: "errored",
        error: { message: "No index page" },
        pusher: mira,
        commit: sha,
        duration: 12,
        created_at: "2025-06-02T10:00:00Z",
        updated_at: "2025-06-02T10:00:00Z",
      },
      ...common,
    },
    {
      topic: "pumps",
      content: `The build of the site, started by mira, is now \`errored\`:\n\n${quoted("No index page")}`,
    },
  ),
  delivery("event nobody reads of", "check_suite", { action: "completed", check_suite: {}, ...common }),
];
