/** SQL for `canSee`, without the projects: whether the reader (a parameter; null is the system) may see the task `t`. */
export function visibleTo(reader: string): string {
  return `(${reader}::text is null or (
      (not t.private or t.created_by = ${reader} or t.assigned_to = ${reader})
      and (t.readers is null or ${reader} = any(t.readers))))`;
}

/**
 * SQL for whether the reader may see an event, by its task as it is now. Tasks are looked up only for private events, and in
 * an org with restricted tasks: the `case` makes it one look-up per event, and the `exists` is evaluated once.
 */
export function eventVisibleTo(reader: string, event = "e"): string {
  return `case when ${reader}::text is null then true
      when ${event}.private or exists (select from pawl.task r where r.org_id = $1 and r.readers is not null) then coalesce((
        select (not ${event}.private or ${reader} in (t.created_by, t.assigned_to))
          and (t.readers is null or ${reader} = any(t.readers))
        from pawl.task t where t.org_id = ${event}.org_id and t.id = ${event}.task_id
      ), not ${event}.private)
      else true end`;
}
