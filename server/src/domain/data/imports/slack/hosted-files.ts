/** Where Slack has the files of its workspaces. */
export const slackFilesOrigin = "https://files.slack.com";
