/** The provider failed or returned something invalid. The reason is for the log: users can do nothing about it. */
export class ProviderProblem extends Error {
  override name = "ProviderProblem";
}
