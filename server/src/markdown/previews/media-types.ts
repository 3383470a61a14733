/** Guesses from a URL alone what kind of media it refers to. */
import { type SplitUrl, splitUrl } from "../url-policy.ts";

const imagePath = /\.(?:bmp|gif|jpe|jpeg|jpg|png|webp)$/i;
const videoPath = /\.(?:mp4|webm)$/i;

/** The host without port and credentials. */
export const hostNameOf = ({ host }: SplitUrl): string => host.replace(/^.*@/, "").replace(/:\d*$/, "").toLowerCase();

const isUnder = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

export const isVideo = ({ path, query }: SplitUrl): boolean => query === "" && videoPath.test(path);

export const isImage = (url: SplitUrl): boolean =>
  imagePath.test(url.path) && !isUnder(hostNameOf(url), "pasteboard.co");

const githubBlob = /^\/([^/]+)\/([^/]+)\/blob\/(.+)$/;

/** The URL of the image itself, when the given URL is a page about it. */
export function imageSource(url: string): string {
  const split = splitUrl(url);
  const blob = split !== undefined && hostNameOf(split) === "github.com" ? githubBlob.exec(split.path) : null;
  return blob === null ? url : `https://raw.githubusercontent.com/${blob[1]}/${blob[2]}/${blob[3]}`;
}

/** Some sites (Wikipedia, linx.li) have image URLs that lead to a page; this returns the URL of the image file. */
export function imageAddress(url: string): string {
  const split = splitUrl(url);
  if (split === undefined) return url;
  const host = hostNameOf(split);
  if (isUnder(host, "wikipedia.org") && split.path.startsWith("/wiki/File:")) {
    return url.replace("/wiki/File:", "/wiki/Special:FilePath/File:");
  }
  if (host === "linx.li") return url.replace(split.path, `/s${split.path}`);
  return url;
}

const youtubeHosts: ReadonlySet<string> = new Set([
  "youtube.com",
  "www.youtube.com",
  "m.youtube.com",
  "youtube-nocookie.com",
  "www.youtube-nocookie.com",
]);
const youtubePath = /^\/(?:embed|shorts|v)\/(.*)$/;
const videoId = /^[A-Za-z0-9_-]+$/;

const parameter = (query: string, name: string): string | undefined =>
  query
    .split("&")
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

function possibleYoutubeId(url: SplitUrl): string | undefined {
  const { scheme, path, query } = url;
  if (scheme !== "http" && scheme !== "https") return undefined;
  const host = hostNameOf(url);
  if (host === "youtu.be") return path.slice(1);
  if (!youtubeHosts.has(host)) return undefined;
  if (path === "/watch" || path === "/watch_popup") return parameter(query, "v");
  if (path === "/watch_videos") return parameter(query, "video_ids")?.split(",")[0];
  return youtubePath.exec(path)?.[1];
}

export function youtubeId(url: SplitUrl): string | undefined {
  const id = possibleYoutubeId(url);
  return id !== undefined && videoId.test(id) ? id : undefined;
}

const tweetPath = /\/status(?:es)?\/\d{10,}/;

export const isTweet = (url: SplitUrl): boolean => isUnder(hostNameOf(url), "twitter.com") && tweetPath.test(url.path);
