/** A user's key in a `FairLimiter`, which alternates between users, so that one user's expensive work does not delay others'. */
export const userLimiterKey = ({ id }: { id: number }): string => `user ${id}`;
