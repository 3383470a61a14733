/**
 * The paths from which a message's images and videos may be loaded on the organization's own host. The sender chooses the
 * URL, and the reader's browser requests it with the reader's cookie, so nothing but files may be served below these.
 */
export const picturePaths = ["/external_content/", "/static/", "/user_avatars/", "/user_uploads/"] as const;

/** An encoded dot, slash or backslash: a proxy between us and the browser may interpret it as part of the path. */
const hiddenSeparator = /%(?:2e|2f|5c)/i;

/** Takes the path of a parsed URL, in which `..` and backslashes are already resolved. */
export const isPicturePath = (pathname: string): boolean =>
  picturePaths.some((path) => pathname.startsWith(path)) && !hiddenSeparator.test(pathname);
