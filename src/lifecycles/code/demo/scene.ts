import type { Client } from "../../../client/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { DemoLanguage, DemoScript, Stage } from "../../../plugin/index.ts";
import { CODE_EN } from "./code-work-en.ts";
import { CODE_RU } from "./code-work-ru.ts";
import { featuresIn, TEST_FAILURES } from "./code-work.ts";
import type { CodeContent, Feature } from "./code-work.ts";
import { sampleDiff } from "./sample-diff.ts";

const CONTENT: Readonly<Record<DemoLanguage, CodeContent>> = { en: CODE_EN, ru: CODE_RU };

export const members: DemoScript["members"] = (language) => {
  const { names } = CONTENT[language];
  return [
    { id: "ada", name: names.ada, kind: "human", roles: ["agent", "lead"] },
    ...FORGES.map((id) => ({ id, name: names[id], kind: "worker" as const, roles: ["worker"] })),
  ];
};

/** The times are short, so that visitors of the demo see leases expire. */
export const projects: DemoScript["projects"] = [
  {
    id: "main",
    settings: {
      code: {
        lease_seconds: 40,
        claim_timeout_minutes: 2,
        progress_timeout_minutes: 5,
        operator_controls: true,
        review: true,
        continue: true,
      },
    },
  },
];

/** Visitors can approve work, too. */
export const visitor: DemoScript["visitor"] = { roles: ["reviewer"] };

const FORGES = ["forge-1", "forge-2", "forge-3"] as const;
const MAX_UNFINISHED = 7;
const project_id = "main";

/** Ada plans features whose tasks depend on each other, and reviews the work; three workers run, retry and merge it. */
export async function play(stage: Stage): Promise<void> {
  await stage.together([
    stage.keepOn([12, 25], () => plan(stage)),
    stage.keepOn([8, 16], () => review(stage)),
    ...FORGES.map((forge) => stage.keepOn([4, 10], () => forgeOn(stage, forge))),
  ]);
}

function codeOf(client: Client) {
  return client.calls(CODE_ROUTES);
}
type Code = ReturnType<typeof codeOf>;

async function plan(stage: Stage): Promise<unknown> {
  const { chance, language } = stage;
  const content = CONTENT[language];
  const ada = codeOf(stage.as("ada"));
  const { tasks: failed } = await ada.listCodeTasks({ project_id, status: ["failed"], limit: 200 });
  const { tasks } = await ada.listCodeTasks({
    project_id,
    status: ["ready", "claimed", "in_progress", "review", "blocked"],
    limit: 200,
  });
  const tried = new Set(tasks.map(({ retry_of }) => retry_of));
  const lost = chance.pick(failed.filter(({ id }) => !tried.has(id)).slice(-3));
  if (lost && chance.happens(0.4)) return ada.retryCodeTask({ id: lost.id });
  if (tasks.length < MAX_UNFINISHED) {
    const titles = new Set(tasks.map(({ title }) => title));
    const feature = chance.pick(
      featuresIn(content).filter((parts) => !parts.some(({ title }) => titles.has(title))),
    );
    if (feature) return planFeature(ada, feature);
  }
  // A task that waits for a failed one has no obstacle to clear.
  const blocked = chance.pick(
    tasks.filter(
      ({ blocked_reason, status }) =>
        status === "blocked" && content.obstacles.some((one) => one === blocked_reason),
    ),
  );
  return blocked && ada.moveCodeTask({ id: blocked.id, action: "clear_blocker", comment: content.cleared });
}

/** Approves the work that has waited longest, or asks for changes; leaves visitors some time to do it themselves. */
async function review(stage: Stage): Promise<unknown> {
  const { chance, language } = stage;
  const ada = codeOf(stage.as("ada"));
  const { tasks } = await ada.listCodeTasks({ project_id, status: ["review"], limit: 50 });
  const [first] = tasks.toSorted((a, b) => Date.parse(a.entered_at) - Date.parse(b.entered_at));
  if (!first || first.held) return undefined;
  const { id } = first;
  const { changes, approvals } = CONTENT[language];
  // Changed work, which has a test, is approved, so that visitors see a review come to its end.
  const { diff } = await ada.readCodeDiff({ id });
  const wasChanged = diff.includes(".test.ts");
  if (wasChanged || chance.happens(0.65))
    return ada.moveCodeTask({ id, action: "approve", comment: chance.pick(approvals) });
  return ada.moveCodeTask({ id, action: "request_changes", comment: chance.pick(changes) });
}

function planFeature(ada: Code, feature: Feature): Promise<unknown> {
  const tasks = feature.map(({ slug, title, description, acceptance, priority, after }) => ({
    ref: slug,
    title,
    description,
    acceptance,
    priority,
    blocked_by: [...after],
    auto_unblock: false,
  }));
  return ada.createCodeTasks({ project_id, tasks });
}

async function forgeOn(stage: Stage, forge: (typeof FORGES)[number]): Promise<unknown> {
  const client = stage.as(forge);
  const code = codeOf(client);
  const { tasks } = await code.claimCodeTasks({ project_id });
  const [task] = tasks;
  if (!task) return undefined;
  const { id, lease_token, title } = task;
  const { chance, language } = stage;
  // A visitor's own task has neither a slug nor a log.
  const work = featuresIn(CONTENT[language])
    .flat()
    .find((one) => one.title === title);
  const slug = work?.slug ?? `task-${id.slice(-8)}`;
  const [branch, worktree] = [`pawl/${slug}`, `.worktrees/${slug}`];
  const move = (action: Parameters<typeof code.moveCodeTask>[0]["action"], payload: object) =>
    code.moveCodeTask({ id, action, lease_token, payload: { ...payload } });
  for (;;) {
    await stage.rest([1, 3]);
    const started = await move("start", { worktree, branch });
    const commit = chance.hex(40);
    // Approved work is only merged.
    if (started.task.review_request?.state === "approved") {
      const run = started.task.row_version;
      await code.appendCodeOutput({ id, lease_token, run, text: "rebase, merge: ok\n" });
      return move("complete", { commit, exit_code: 0 });
    }
    const changes =
      started.task.review_request?.state === "changes" ? started.task.review_request.comment : null;
    const log = work?.log ?? ["reading the task", "npm test"];
    const ended = await runAgent(stage, {
      client,
      code,
      id,
      lease_token,
      log: changes === null ? log : [`reading the review: ${changes}`, ...log.slice(-2)],
      run: started.task.row_version,
    });
    if (ended === "silent") return undefined;
    await move("record_usage", { run: started.task.row_version, ...sampleUsage(stage) });
    if (ended === "blocked") return move("block", { description: chance.pick(CONTENT[language].obstacles) });
    if (ended === "done") {
      await code.saveCodeDiff({
        id,
        lease_token,
        ...sampleDiff(slug, { base: chance.hex(40), commit }, changes !== null),
      });
      return move("request_review", { branch, commit });
    }
    const error = chance.pick(TEST_FAILURES);
    const { attempts, max_attempts } = started.task;
    if (attempts >= max_attempts) return move("fail", { error, recoverable: false, exit_code: 1 });
    await move("retry", { error, recoverable: true, exit_code: 1 });
  }
}

/** Makes the usage that an agent reports at its end. */
function sampleUsage({ chance }: Stage) {
  const input_tokens = 60_000 + Math.floor(chance.number() * 240_000);
  const output_tokens = Math.floor(input_tokens / 25);
  const cost_usd = Math.round((input_tokens * 0.8 + output_tokens * 15) / 10_000) / 100;
  const cached_tokens = Math.floor(input_tokens * 0.8);
  return { agent: "claude", model: "claude-opus-4-5", input_tokens, cached_tokens, output_tokens, cost_usd };
}

type Agent = {
  client: Client;
  code: Code;
  id: string;
  lease_token: string;
  log: readonly string[];
  run: number;
};

/** Sends an agent's output line by line while its worker renews the lease. */
async function runAgent(
  stage: Stage,
  { client, code, id, lease_token, log, run }: Agent,
): Promise<"done" | "failed" | "blocked" | "silent"> {
  const { chance } = stage;
  const lot = chance.number();
  for (const line of ["git worktree add", ...log]) {
    await stage.rest([3, 8]);
    await code.appendCodeOutput({ id, lease_token, run, text: `${line}\n` });
    const { lost } = await client.beatLeases({ leases: [{ task_id: id, lease_token }] });
    if (lost.length > 0) return "silent";
    // The worker's machine sleeps: the lease expires, and another worker gets the task.
    if (lot < 0.03 && chance.happens(0.4)) return "silent";
  }
  if (lot < 0.22) return "failed";
  if (lot < 0.28) return "blocked";
  await code.appendCodeOutput({ id, lease_token, run, text: "git commit, rebase: ok; waiting for review\n" });
  return "done";
}
