import type { Rule } from "./mutation.ts";

const DEPENDENCIES = "src/engine/sql/dependencies.ts";
const LOCK_TASKS = "src/engine/sql/lock-tasks.ts";
const PERFORM = "src/engine/write/perform.ts";
const UNIT = "src/engine/write/unit-of-work.ts";
const WRITER = "src/engine/write/writer.ts";

const LOCKED_ROWS_TEST = "test/engine/write-path/locked-rows.test.ts";
const ONE_BAD_TASK_TEST = "test/engine/write-path/one-bad-task.test.ts";
const KEYS_TEST = "test/engine/idempotency.test.ts";
const LEASES_TEST = "test/engine/leases.test.ts";
const STALE_TEST = "test/engine/write-path/stale-decisions.test.ts";

/** The rules of commands that run with locks, of keys, leases, dependents and callers' transactions. */
export const LOCKED_RULES: readonly Rule[] = [
  {
    rule: "A locked row delays only the commands on it",
    mutations: [
      {
        fault: "a batch waits for locked tasks",
        file: LOCK_TASKS,
        find: "for update skip locked",
        replace: "for update",
        test: LOCKED_ROWS_TEST,
        name: "commands on other tasks are answered while two rows are locked",
      },
      {
        fault: "a batch does not lock its tasks",
        file: LOCK_TASKS,
        find: "\n  for update skip locked",
        replace: "",
        test: "test/engine/faults/claims.test.ts",
        name: "ten concurrent claims of a task on five nodes have one winner",
      },
      {
        fault: "a command never gives up on a locked row",
        file: WRITER,
        find: "if (now - (busySince ?? now) > this.timeouts.retryTimeoutMs)",
        replace: "if (now - (busySince ?? now) > Infinity)",
        test: "test/engine/org-isolation.test.ts",
        name: "a command whose row stays locked fails with UNAVAILABLE",
      },
    ],
  },
  {
    rule: "A command never fails the others of its batch",
    mutations: [
      {
        fault: "a failing batch is not split",
        file: "src/engine/write/bisect.ts",
        find: "if (!isToBlame(error)) throw error;\n",
        replace: "throw error;\n",
        test: ONE_BAD_TASK_TEST,
        name: "149 of 150 concurrent commands are performed",
      },
      {
        fault: "a failing sweep is not split",
        file: "src/engine/upkeep/sweep.ts",
        find: "    if (isUnavailable(error)) throw error;\n",
        replace: "    if (Date.now() > 0) throw error;\n",
        test: ONE_BAD_TASK_TEST,
        name: "a sweep moves 149 due tasks",
      },
      {
        fault: "a write that finds its row changed is left out without an error",
        file: "src/engine/sql/save-moves.ts",
        find: "case when :partly::boolean or written.moves = :count then 1 else 0 end",
        replace: "case when :partly::boolean or :count::integer > 0 then 1 else 0 end",
        test: STALE_TEST,
        name: "a move whose row is changed by its own effect",
      },
      {
        fault: "commands on one task share a batch",
        file: PERFORM,
        find: "const keys = key == null ? [task_id] : [task_id, `key ${key}`];",
        replace: "const keys: string[] = [];",
        test: "test/engine/perform.test.ts",
        name: "several commands on one task in one batch are decided one after the other",
      },
      {
        fault: "the error of a constraint is an internal error",
        file: WRITER,
        find: "if (constraint !== null) return refusalOfViolation(constraint);",
        replace: "if (constraint === null) return refusalOfViolation(constraint as never);",
        test: STALE_TEST,
        name: "a creation that a constraint refuses leaves",
      },
    ],
  },
  {
    rule: "Task, journal row and idempotency record change together; a repeated key gets the first answer",
    mutations: [
      {
        fault: "an optimistic move stores no record",
        file: "src/engine/sql/save-moves.ts",
        find: "from moved m where m.fingerprint is not null",
        replace: "from moved m where false",
        test: STALE_TEST,
        name: "a request that is repeated on a node without the row",
      },
      {
        fault: "an optimistic creation stores no record",
        file: "src/engine/sql/save-creations.ts",
        find: "from born b where b.fingerprint is not null",
        replace: "from born b where false",
        test: KEYS_TEST,
        name: "a repeated creation returns all its tasks",
      },
      {
        fault: "an optimistic claim stores no record",
        file: "src/engine/sql/claim-tasks.ts",
        find: "where m.fingerprint is not null",
        replace: "where false",
        test: KEYS_TEST,
        name: "a replayed claim returns the same tasks",
      },
      {
        fault: "a locked command stores no record",
        file: PERFORM,
        find: "if (requests.length > 0) unit.send(saveRequests(org_id, requests, unit.now));",
        replace: "",
        test: "test/engine/write-path/equivalent-requests-http.test.ts",
        name: "by the same route gets the same answer",
      },
      {
        fault: "a call whose commands are carried out one by one leaves no record",
        file: PERFORM,
        find: "if (calls.size > 0) unit.send(saveMissingRequests(org_id, [...calls.values()], unit.now));",
        replace: "",
        test: "test/engine/write-path/keyed-calls.test.ts",
        name: "if all its commands needed locks",
      },
      {
        fault: "the answers in the record of a call are not read",
        file: PERFORM,
        find: "if (own || !call || !use) return own;",
        replace: "if (own || !call || use?.answer !== null) return own;",
        test: "test/engine/write-path/keyed-calls.test.ts",
        name: "after its tasks have moved on",
      },
      {
        fault: "an unlocked read ignores used keys",
        file: "src/engine/write/optimistic.ts",
        find: "(used.has(client_event_id) || tasks.size === 0)",
        replace: "tasks.size === 0",
        test: STALE_TEST,
        name: "a request that is repeated on a node without the row",
      },
      {
        fault: "a key can be used for another request",
        file: "src/engine/write/stored-answers.ts",
        find: "return use.fingerprint === fingerprint ? null : usedForSomethingElse(use.client_event_id);",
        replace: "return fingerprint === null ? usedForSomethingElse(use.client_event_id) : null;",
        test: "test/engine/write-path/equivalent-requests.test.ts",
        name: "but another action, comment, payload, task or member is a conflict",
      },
      {
        fault: "claims with one key do not wait for each other",
        file: "src/engine/write/claim.ts",
        find: "[...uncertain, batch, ...keys.map((key) => `${org_id} ${key}`)]",
        replace: "[...uncertain, batch]",
        test: STALE_TEST,
        name: "that still runs makes its repetition wait",
      },
      {
        fault: "a claim that finds nothing for its key does not wait for running claims",
        file: "src/engine/write/claim.ts",
        find: "if (keys.length > 0) locks.push(waitForClaims(tx, org_id, first.lifecycle.name));",
        replace: "",
        test: STALE_TEST,
        name: "that still runs makes its repetition wait",
      },
      {
        fault: "a refusal by a constraint is not tried again after the other command has committed",
        file: WRITER,
        find: "const MAX_CONFLICT_RETRIES = 2;",
        replace: "const MAX_CONFLICT_RETRIES = 0;",
        test: "test/engine/write-path/concurrent-keys.test.ts",
        name: "sent twenty times with one key happens once",
      },
    ],
  },
  {
    rule: "A claim has a new token, and a stale token is refused",
    mutations: [
      {
        fault: "the rule for lease holders ignores the token",
        file: "src/core/standard.ts",
        find: " && task.lease.token === lease_token,",
        replace: " && lease_token !== null,",
        test: "test/engine/faults/claim-against-sweep.test.ts",
        name: "requests of a zombie worker with its old token are refused",
      },
      {
        fault: "a stale token in another status is not LEASE_LOST",
        file: "src/core/decide.ts",
        find: "if (!final && lifecycle.lease_only_actions.has(action)",
        replace: "if (final && lifecycle.lease_only_actions.has(action)",
        test: LEASES_TEST,
        name: "a former holder is refused with LEASE_LOST",
      },
      {
        fault: "every lease has the same token",
        file: UNIT,
        find: "return { token: randomUUID(), holder",
        replace: 'return { token: "00000000-0000-4000-8000-000000000000", holder',
        test: "test/engine/faults/claim-against-sweep.test.ts",
        name: "requests of a zombie worker with its old token are refused",
      },
      {
        fault: "a heartbeat with a stale token renews the lease",
        file: "src/engine/sql/save-leases.ts",
        find: " and t.lease_token = beat.token",
        replace: " and t.lease_token is not null",
        test: STALE_TEST,
        name: "a heartbeat of another member, or with another token",
      },
      {
        fault: "a member renews the lease of another",
        file: "src/engine/sql/save-leases.ts",
        find: " and t.lease_holder = $4",
        replace: " and $4::text is not null",
        test: STALE_TEST,
        name: "a heartbeat of another member, or with another token",
      },
      {
        fault: "the heartbeat of an earlier lease counts for the next one",
        file: "src/engine/sql/task-columns.ts",
        find: "if (beat?.token !== token)",
        replace: "if (!beat)",
        test: STALE_TEST,
        name: "the heartbeat of an earlier lease",
      },
    ],
  },
  {
    rule: "Finishing a task and starting to wait for it always see each other",
    mutations: [
      {
        fault: "blockers are read without a lock",
        file: DEPENDENCIES,
        find: "\n  for no key update skip locked",
        replace: "",
        test: "test/engine/faults/fan-in.test.ts",
        name: "a dependent that is created while its blocker finishes is never left waiting",
      },
      {
        fault: "a new dependency does not mark its blocker",
        file: DEPENDENCIES,
        find: "set awaited = true where",
        replace: "set awaited = t.awaited where",
        test: "test/engine/optimistic.test.ts",
        name: "a blocker that is finished from a cached row releases a dependent",
      },
      {
        fault: "a finish passes over a locked dependent",
        file: UNIT,
        find: "if (busy.size > 0) throw new RowsBusy();",
        replace: "",
        test: LOCKED_ROWS_TEST,
        name: "commands on other tasks are answered while a finish waits for its locked dependent",
      },
      {
        fault: "a finish leaves its dependencies unresolved",
        file: "src/engine/write/follow-dependents.ts",
        find: "if (resolved.length > 0) unit.send(resolveDependencies(unit.org_id, resolved));",
        replace: "",
        test: "test/engine/write-path/claims-and-dependents.test.ts",
        name: "workers on two nodes finish chains and fans of tasks",
      },
      {
        fault: "a task without open blockers is not moved on",
        file: "src/engine/write/follow-dependents.ts",
        find: "if (action != null) unit.decideAsSystem(id, action);",
        replace: "",
        test: "test/engine/dependencies.test.ts",
        name: "fan-in: the last of several blockers releases the task",
      },
    ],
  },
  {
    rule: "A caller's transaction runs one command after the other, and survives a refusal",
    mutations: [
      {
        fault: "commands in one transaction overlap",
        file: WRITER,
        find: "const mine = before.then(() => this.runBehindSavepoint(tx, org_id, command, arrivals));",
        replace: "const mine = this.runBehindSavepoint(tx, org_id, command, arrivals);",
        test: "test/engine/library.test.ts",
        name: "concurrent commands in one transaction run one after the other",
      },
      {
        fault: "an error is not rolled back to the savepoint",
        file: "src/engine/transaction.ts",
        find: 'await run("rollback to savepoint pawl");\n',
        replace: "",
        test: STALE_TEST,
        name: "a creation that a constraint refuses leaves",
      },
    ],
  },
];
