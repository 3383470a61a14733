import { z } from "zod";
import { job } from "../../jobs/job.ts";
import { thumbnailKey, uploadKey } from "./file-name.ts";
import { thumbnailFormats } from "./thumbnails.ts";

/** Bytes that nothing in the database leads to any more. */
export const removeStored = job({
  name: "remove stored files",
  payload: z.strictObject({ keys: z.array(z.string()) }),
  run: async ({ files }, { keys }) => {
    for (const key of keys) await files.remove(key);
  },
});

/** All that lies in the store of one file: what is made of it first, so that it can be found until the end. */
export const keysOf = (pathId: string): string[] => [
  ...thumbnailFormats.map(({ name }) => thumbnailKey(pathId, name)),
  uploadKey(pathId),
];
