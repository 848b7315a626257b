import type { Rule } from "./mutation.ts";

const MOVES = "src/engine/sql/save-moves.ts";
const CREATIONS = "src/engine/sql/save-creations.ts";
const CLAIMS = "src/engine/sql/claim-tasks.ts";
const OPTIMISTIC = "src/engine/write/optimistic.ts";
const WRITER = "src/engine/write/writer.ts";
const CLAIM = "src/engine/write/claim.ts";
const OPTIMISTIC_CLAIM = "src/engine/write/claim-optimistic.ts";

const OPTIMISTIC_TEST = "test/engine/optimistic.test.ts";
const STALE_TEST = "test/engine/write-path/stale-decisions.test.ts";
const LATE_TEST = "test/engine/faults/late-statements.test.ts";
const CUT_TEST = "test/engine/faults/cut-after-commit.test.ts";
const CONCURRENT_CLAIMS_TEST = "test/engine/write-path/concurrent-claims.test.ts";

/** The rules of commands that run without locks. */
export const OPTIMISTIC_RULES: readonly Rule[] = [
  {
    rule: "A decision on a cached row is written only if the row is unchanged and unlocked",
    mutations: [
      {
        fault: "the row is found by its id, whatever its identity",
        file: MOVES,
        find: "where t.ctid = m.at and t.org_id = :org_id and t.id is not distinct from m.id\n      and (m.writer is null or t.xmin = m.writer) and",
        replace: "where t.org_id = :org_id and t.id = m.id and",
        test: OPTIMISTIC_TEST,
        name: "a change of a known row without a new version is kept",
      },
      {
        fault: "the writer of the row (xmin) is not compared",
        file: MOVES,
        find: "(m.writer is null or t.xmin = m.writer) and ",
        replace: "",
        test: STALE_TEST,
        name: "a changed row at the place of the cached one",
      },
      {
        fault: "a row that another transaction has locked (xmax) is written",
        file: MOVES,
        find: " and (not :partly::boolean or t.xmax = '0'::xid or t.xmax = t.xmin)",
        replace: "",
        test: "test/engine/write-path/locked-rows.test.ts",
        name: "commands on other tasks are answered while two rows are locked",
      },
      {
        fault: "the heartbeat of a cached lease counts as current",
        file: "src/engine/write/row-cache.ts",
        find: "const cached = task.lease === null ? task : { ...task, lease: new LeaseWithoutHeartbeat(task.lease) };",
        replace: "const cached = task;",
        test: STALE_TEST,
        name: "a heartbeat on another node is visible",
      },
    ],
  },
  {
    rule: "A decision is written only with the settings that it was made with",
    mutations: [
      {
        fault: "moves do not compare the version of the settings",
        file: MOVES,
        find: "and (:settings_version::integer is null\n",
        replace: "and (true or :settings_version::integer is null\n",
        test: STALE_TEST,
        name: "the settings on another node uses the new settings",
      },
      {
        fault: "creations do not compare the version of the settings",
        file: CREATIONS,
        find: "where (:settings_version::integer is null\n",
        replace: "where (true or :settings_version::integer is null\n",
        test: STALE_TEST,
        name: "the settings on another node uses the new settings",
      },
      {
        fault: "claims do not compare the version of the settings",
        file: CLAIMS,
        find: "and :settings_version::integer = (select o.settings_version from pawl.org o where o.id = :org_id)",
        replace: "and :settings_version::integer is not null",
        test: STALE_TEST,
        name: "the settings on another node uses the new settings",
      },
      {
        fault: "a change of a project leaves the version of the settings as it is",
        file: "src/engine/sql/projects.ts",
        find: "where org_id = $1 and id = $2\n  )\n  update pawl.org set settings_version = settings_version + 1 where id = $1",
        replace:
          "where org_id = $1 and id = $2\n  )\n  update pawl.org set settings_version = settings_version where id = $1",
        test: STALE_TEST,
        name: "the settings on another node uses the new settings",
      },
    ],
  },
  {
    rule: "A command that needs more than its own row runs with locks",
    mutations: [
      {
        fault: "a finish ignores that other tasks wait for it",
        file: OPTIMISTIC,
        find: "if (awaited && finishes({ work, after })) return LOCKED;",
        replace: "",
        test: OPTIMISTIC_TEST,
        name: "a blocker whose cached row has a dependent releases it",
      },
      {
        fault: "side effects are not run",
        file: OPTIMISTIC,
        find: 'decision.kind !== "moved" || decision.effects.length > 0',
        replace: 'decision.kind !== "moved"',
        test: "test/engine/dependencies.test.ts",
        name: "holds are counted",
      },
      {
        fault: "facts are not loaded",
        file: OPTIMISTIC,
        find: "if ((lifecycle.actions[work.command.action]?.facts ?? []).length > 0) return LOCKED;",
        replace: "",
        test: STALE_TEST,
        name: "a command whose rule reads a fact gets it",
      },
      {
        fault: "claims are decided on a task whose unknown fields are undefined",
        file: OPTIMISTIC_CLAIM,
        find: "if (field in values) return Reflect.get(values, field) as unknown;\n      throw new UnknownValue();",
        replace: "return Reflect.get(values, field) as unknown;",
        test: STALE_TEST,
        name: "a claim gets no task that its rule refuses",
      },
    ],
  },
  {
    rule: "A command happens once, also if a connection was lost and it was retried",
    mutations: [
      {
        fault: "a batch that was given up goes on",
        file: "src/engine/write/batch-statements.ts",
        find: 'if (this.isStopped) throw new Error("the batch was given up");',
        replace: "",
        test: LATE_TEST,
        name: "a comment happens once if its row is read after the retry has written it",
      },
      {
        fault: "an optimistic batch that may have been committed is forgotten",
        file: WRITER,
        find: "if (isLost) markUncertain(attempts, batch);",
        replace: "",
        test: LATE_TEST,
        name: "a comment happens once if only its answer is lost",
      },
      {
        fault: "a locked batch that may have been committed is forgotten",
        file: WRITER,
        find: "          markUncertain(some, batch);\n",
        replace: "",
        test: CUT_TEST,
        name: "every third COMMIT is cut off",
      },
      {
        fault: "the retry of a claim leaves the version of the settings as it is",
        file: CLAIM,
        find: "if (uncertain.length > 0) unit.send(expireDecisions(org_id));",
        replace: "",
        test: LATE_TEST,
        name: "takes its tasks once if it arrives after its retry",
      },
      {
        fault: "the retry of a command does not look for its key in the journal",
        file: "src/engine/write/perform.ts",
        find: "else if (commit && loaded) outcomes[at] = committed(command, loaded.task, entryOfRow(commit));",
        replace: "",
        test: CUT_TEST,
        name: "every third COMMIT is cut off",
      },
      {
        fault: "a lost connection is not retried",
        file: "src/engine/transact.ts",
        find: "return reconnectDelayMs(error, cuts++, deadline);",
        replace: "return null;",
        test: CUT_TEST,
        name: "every third COMMIT is cut off",
      },
    ],
  },
  {
    rule: "Concurrent claims get different tasks, and each its full number",
    mutations: [
      {
        fault: "locked claims give one task to two claims",
        file: CLAIM,
        find: "left.splice(at, 1);",
        replace: "at++;",
        test: CONCURRENT_CLAIMS_TEST,
        name: "a hundred claims on two nodes share seventy tasks",
      },
      {
        fault: "optimistic claims wait for locked tasks",
        file: CLAIMS,
        find: "for update of t skip locked",
        replace: "for update of t",
        test: STALE_TEST,
        name: "a claim passes over a locked task",
      },
      {
        fault: "locked claims do not lock the tasks they pick",
        file: "src/engine/sql/pick-from-pool.ts",
        find: "\n  for update of t skip locked",
        replace: "",
        test: CONCURRENT_CLAIMS_TEST,
        name: "a hundred claims on two nodes share seventy tasks",
      },
      {
        fault: "a private task in the pool does not close the optimistic way",
        file: CLAIMS,
        find: "limit 1) as own) = 0 as open",
        replace: "limit 1) as own) >= 0 as open",
        test: OPTIMISTIC_TEST,
        name: "a claim takes the member's own private task before",
      },
      {
        fault: "optimistic claims take private tasks of others",
        file: CLAIMS,
        find: "t.pooled and not t.private",
        replace: "t.pooled",
        test: OPTIMISTIC_TEST,
        name: "a claim never takes a private task of another member",
      },
      {
        fault: "the feed numbers claims by their slots, with gaps",
        file: CLAIMS,
        find: "feed.base + row_number() over (order by m.n)",
        replace: "feed.base + m.n",
        test: STALE_TEST,
        name: "a task that changes while a claim",
      },
    ],
  },
];
