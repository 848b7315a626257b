import type { Rule } from "./mutation.ts";

const TABLES = "src/engine/migrations/0001-tables.sql";
const TRIGGERS = "src/engine/migrations/0002-triggers.sql";
const INBOX = "src/engine/sql/pick-inbox.ts";
const PRUNE = "src/engine/sql/prune-tasks.ts";

const JOURNAL_TEST = "test/engine/journal.test.ts";
const RETENTION_TEST = "test/engine/retention.test.ts";
const STALE_TEST = "test/engine/write-path/stale-decisions.test.ts";

/** The rules that the database enforces, and those of the feed, timers, orgs, limits, the inbox and retention. */
export const DATABASE_RULES: readonly Rule[] = [
  {
    rule: "The database defends itself, also against psql",
    mutations: [
      {
        fault: "undeclared changes of a status are accepted",
        file: TRIGGERS,
        find: "and (o.final or not exists (",
        replace: "and (o.final or false and not exists (",
        test: "test/engine/versions.test.ts",
        name: "the database accepts the moves of the mapping and no others",
      },
      {
        fault: "a final status can be left",
        file: TRIGGERS,
        find: "and (o.final or not exists (",
        replace: "and (not exists (",
        test: JOURNAL_TEST,
        name: "a final task keeps its status",
      },
      {
        fault: "a task can begin in any status",
        file: TRIGGERS,
        find: "where d.lifecycle = n.lifecycle and d.from_status is null and d.to_status = n.status)",
        replace: "where d.lifecycle = n.lifecycle and d.from_status is null)",
        test: JOURNAL_TEST,
        name: "the database itself refuses",
      },
      {
        fault: "journal rows can be changed",
        file: TRIGGERS,
        find: "create trigger event_never_changed before update or truncate on pawl.event\n  for each statement execute function pawl.refuse_event_change();",
        replace: "",
        test: JOURNAL_TEST,
        name: "the database itself refuses",
      },
      {
        fault: "the journal of a task can be deleted",
        file: TRIGGERS,
        find: "create trigger event_kept_with_task after delete on pawl.event\n  referencing old table as before_change\n  for each statement execute function pawl.refuse_event_removal();",
        replace: "",
        test: JOURNAL_TEST,
        name: "the database itself refuses",
      },
      {
        fault: "an open task can be deleted",
        file: TRIGGERS,
        find: "where not b.final\n",
        replace: "where not b.final and false\n",
        test: JOURNAL_TEST,
        name: "an open task is never deleted",
      },
      {
        fault: "a journal row is sealed without the row before it",
        file: "src/engine/upkeep/seal.ts",
        find: "return `sha256(${previous} || uuid_send",
        replace: "return `sha256(''::bytea || uuid_send",
        test: JOURNAL_TEST,
        name: "verify rebuilds every task from its journal",
      },
    ],
  },
  {
    rule: "At most one is an index",
    mutations: [
      {
        fault: "two tasks can have one exclusive key",
        file: TABLES,
        find: "create unique index task_exclusive_key_unique",
        replace: "create index task_exclusive_key_unique",
        test: "test/engine/faults/exclusive-keys.test.ts",
        name: "an owner that takes twenty tasks in",
      },
      {
        fault: "two tasks can have one dedupe key",
        file: TABLES,
        find: "create unique index task_dedupe_key_unique",
        replace: "create index task_dedupe_key_unique",
        test: "test/engine/faults/batch-isolation.test.ts",
        name: "concurrent creations with one dedupe key create one job",
      },
      {
        fault: "one idempotency key can be stored twice",
        file: TABLES,
        find: "constraint request_pkey primary key (org_id, client_event_id)",
        replace: "constraint request_pkey primary key (org_id, client_event_id, fingerprint, created_at)",
        test: "test/engine/write-path/concurrent-keys.test.ts",
        name: "sent twenty times with one key happens once",
      },
      {
        fault: "two events can have one position",
        file: TABLES,
        find: "create unique index event_position_unique",
        replace: "create index event_position_unique",
        test: STALE_TEST,
        name: "the database refuses two events with one position",
      },
    ],
  },
  {
    rule: "The feed is in commit order without gaps, and NOTIFY is a hint beside polling",
    mutations: [
      {
        fault: "a move takes two positions",
        file: "src/engine/sql/save-moves.ts",
        find: "set feed_position = o.feed_position + written.moves /",
        replace: "set feed_position = o.feed_position + 2 * written.moves /",
        test: JOURNAL_TEST,
        name: "the feed of an org is in commit order without gaps",
      },
      {
        fault: "a commit is not notified to other nodes",
        file: "src/engine/commit-hints.ts",
        find: 'if (where === "here") throttle.notify(org_id, arrivals);',
        replace: 'if (where !== "here") throttle.notify(org_id, arrivals);',
        test: "test/engine/commit-hints.test.ts",
        name: "an org is announced at most once in 20 milliseconds",
      },
      {
        fault: "nodes notify each other of the same commit forever",
        file: "src/engine/commit-hints.ts",
        find: 'if (where === "here") throttle.notify(org_id, arrivals);',
        replace: "throttle.notify(org_id, arrivals);",
        test: "test/engine/commit-hints.test.ts",
        name: "an org is announced at most once in 20 milliseconds",
      },
      {
        fault: "readers of events only wait for notifications",
        file: "src/server/streams/org-signal.ts",
        find: "const timer = setTimeout(wake, ms);",
        replace: "const timer = setTimeout(() => undefined, ms);",
        test: "test/http/events-nodes.test.ts",
        name: "events of the sweep and of a caller",
      },
    ],
  },
  {
    rule: "Timers fire once, on all nodes, and only when they are due",
    mutations: [
      {
        fault: "a sweep does not lock the due tasks",
        file: "src/engine/sql/pick-due.ts",
        find: "\n  for update of t skip locked",
        replace: "",
        test: STALE_TEST,
        name: "a sweep passes over a locked task",
      },
      {
        fault: "a sweep waits for locked tasks",
        file: "src/engine/sql/pick-due.ts",
        find: "for update of t skip locked",
        replace: "for update of t",
        test: STALE_TEST,
        name: "a sweep passes over a locked task",
      },
      {
        fault: "a timer whose action failed stays due",
        file: "src/engine/upkeep/sweep.ts",
        find: "if (why !== null) putOff(unit, work, why);",
        replace: "",
        test: "test/engine/leases.test.ts",
        name: "heartbeats renew many leases in one statement, and a sweep moves the timer",
      },
    ],
  },
  {
    rule: "One transaction touches one org, and members see only their own",
    mutations: [
      {
        fault: "a statement locks tasks of any org",
        file: "src/engine/sql/lock-tasks.ts",
        find: "where t.org_id = $1 and t.id = any($2::uuid[])\n  order by",
        replace: "where $1::text is not null and t.id = any($2::uuid[])\n  order by",
        test: "test/engine/org-isolation.test.ts",
        name: "every statement names its org",
      },
      {
        fault: "a command finds a task that its caller cannot see",
        file: "src/engine/write/perform.ts",
        find: "if (!loaded || elsewhere || !canSee(actor, loaded.task))",
        replace: "if (!loaded || elsewhere)",
        test: "test/engine/perform.test.ts",
        name: "every call on a task that the caller cannot see answers TASK_NOT_FOUND",
      },
    ],
  },
  {
    rule: "Every transaction has its timeouts, also behind a pooler",
    mutations: [
      {
        fault: "transactions on shared sessions set no timeouts",
        file: "src/engine/transact.ts",
        find: "if (!hasSettings(sql, timeouts)) writes.send(localSettings(timeouts));",
        replace: "",
        test: STALE_TEST,
        name: "behind a pooler every transaction sets its timeouts",
      },
    ],
  },
  {
    rule: "Roles are checked before anything is locked",
    mutations: [
      {
        fault: "the role is not checked",
        file: "src/core/validate-command.ts",
        find: "  if (forbidden) return forbidden;\n",
        replace: "",
        test: STALE_TEST,
        name: "a command without the permission is refused while its row is locked",
      },
    ],
  },
  {
    rule: "A request in SQL creates its task once, by the rights of its member",
    mutations: [
      {
        fault: "nodes do not lock the requests they admit",
        file: INBOX,
        find: "    limit $3\n    for update of i skip locked",
        replace: "    limit $3",
        test: "test/engine/inbox/inbox-nodes.test.ts",
        name: "requests that one node admits are passed over by another",
      },
      {
        fault: "an admitted request is not removed",
        file: "src/engine/inbox/admit-requests.ts",
        find: "if (created.length > 0) unit.send(removeFromInbox(org_id, created));",
        replace: "",
        test: "test/engine/inbox/admission.test.ts",
        name: "a request becomes a task of its member",
      },
      {
        fault: "a role acts as members that it is not bound to",
        file: "src/engine/migrations/0004-inbox.sql",
        find: "if not acting = any(bound) then",
        replace: "if false then",
        test: "test/engine/inbox/enqueue.test.ts",
        name: "cannot replace what the function calls by objects of its own",
      },
    ],
  },
  {
    rule: "Retention deletes only what is finished, unchanged and needed by no one",
    mutations: [
      {
        fault: "a task that changed after its export is deleted",
        file: PRUNE,
        find: " and t.row_version = seen.row_version",
        replace: "",
        test: RETENTION_TEST,
        name: "a task that changes after its export stays",
      },
      {
        fault: "retention waits for locked tasks",
        file: PRUNE,
        find: "for update of t skip locked",
        replace: "for update of t",
        test: RETENTION_TEST,
        name: "a locked task is skipped without waiting",
      },
      {
        fault: "stored answers that name a deleted and a kept task lose the deleted one",
        file: "src/engine/upkeep/prune.ts",
        find: "  await keepAnswers(tx, org_id, gone);\n",
        replace: "",
        test: RETENTION_TEST,
        name: "a request that created several tasks is kept",
      },
    ],
  },
];
