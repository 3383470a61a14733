import { caller } from "../access.ts";
import { changedIds, checked, readable, emitToCaller, type Statement } from "./statement-parts.ts";

/** Flags that are stored in a row of their own. */
type SparseFlag = "starred" | "collapsed";

const set = (flag: SparseFlag): string => `changed as (
    insert into message_flags (user_id, message_id, realm_id, ${flag})
    select ${caller.id}, r.id, ${caller.realm}, true from readable r, checked where is_current and is_valid order by r.id
    on conflict (user_id, message_id) do update set ${flag} = true where not message_flags.${flag}
    returning message_id as id)`;

/** The row stays when its last flag is removed: another request may be about to set one. */
const clear = (flag: SparseFlag): string => `locked as materialized (
    select f.message_id from message_flags f, checked
    where is_current and is_valid and f.user_id = ${caller.id} and f.message_id = any($6::bigint[]) and f.${flag}
    order by f.message_id for no key update of f),
  changed as (
    update message_flags f set ${flag} = false from locked l
    where f.user_id = ${caller.id} and f.message_id = l.message_id
    returning f.message_id as id)`;

export const changeSparse = (op: "add" | "remove", flag: SparseFlag): Statement => ({
  name: `flags-${op}-${flag}`,
  text: `with ${readable()},
  ${checked},
  ${op === "add" ? set(flag) : clear(flag)},
  emitted as materialized (select id, null::json as details from changed)
  select is_current, is_valid, ${changedIds} as changed, '{}'::bigint[] as not_subscribed,
    ${emitToCaller(op, flag)} as emitted
  from checked`,
});
