import { z } from "zod";
import { job } from "../../../jobs/job.ts";
import { thumbnailKey, uploadKey } from "./file-name.ts";
import { thumbnailFormats } from "./thumbnails.ts";

/** Removes files that nothing in the database refers to any more. */
export const removeStored = job({
  name: "remove stored files",
  payload: z.strictObject({ keys: z.array(z.string()) }),
  run: async ({ files }, { keys }) => {
    for (const key of keys) await files.remove(key);
  },
});

/** All keys of one file in the store: thumbnails first, so that they can be found until the end. */
export const keysOf = (pathId: string): string[] => [
  ...thumbnailFormats.map(({ name }) => thumbnailKey(pathId, name)),
  uploadKey(pathId),
];
