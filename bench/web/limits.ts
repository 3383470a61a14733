/** What stands in the way of a budget, as a trace showed it; told in the report while the budget is missed. */
export const limits: Readonly<Record<string, string>> = {};
