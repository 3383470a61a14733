import { checkSubdomain } from "@skein/api/subdomains.ts";
import { handlePublic, type BoundEndpoint } from "../../../http/handle.ts";
import { whyUnavailable } from "./availability.ts";

export const subdomainEndpoints: BoundEndpoint[] = [
  handlePublic(checkSubdomain, async ({ ctx, params }) => ({
    msg: (await whyUnavailable(ctx.db, params.subdomain)) ?? "available",
  })),
];
