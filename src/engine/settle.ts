import type { Instant } from "../core/index.ts";
import { Ledger } from "./ledger.ts";
import { makeTasksIn } from "./create.ts";
import { settleDependents } from "./settle-dependents.ts";
import type { Tx } from "./transaction.ts";
import type { Move, Settled, Work } from "./work.ts";
import type { Workshop } from "./workshop.ts";

/** Decides everything in order, settles what follows from it, and writes it all; the caller commits. */
export async function settle(
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  now: Instant,
  works: readonly Work[],
): Promise<Settled[]> {
  const ledger = new Ledger(org_id, now);
  const settled = works.map((work) => ledger.decide(work));
  const rounds = await writeLedger(workshop, tx, ledger);
  return rounds > 1 ? settled.map((one) => asItNowStands(ledger, one)) : settled;
}

/** What followed from a move may have moved its task on: the caller is told where it stands when all is settled. */
function asItNowStands(ledger: Ledger, one: Settled): Settled {
  if (one.kind !== "moved") return one;
  return { ...one, task: ledger.tasks.get(one.task.id)?.task ?? one.task };
}

/** Round after round, until nothing more follows; then one write. Gives the number of rounds. */
export async function writeLedger(workshop: Workshop, tx: Tx, ledger: Ledger): Promise<number> {
  const rounds: Move[][] = [];
  for (let moves = ledger.takeRound(); moves.length > 0; moves = ledger.takeRound()) {
    rounds.push(moves);
    await runEffects(workshop, tx, ledger, moves);
    await settleDependents(workshop, tx, ledger, moves);
  }
  ledger.write(tx, rounds);
  return rounds.length;
}

async function runEffects(
  workshop: Workshop,
  tx: Tx,
  { org_id, now }: Ledger,
  moves: readonly Move[],
): Promise<void> {
  const asked = moves.flatMap(({ work: { lifecycle, actor }, after: task, decision: { effects }, made }) =>
    made === null ? [] : [{ lifecycle, actor, task, effects, made }],
  );
  if (asked.length > 0) await workshop.runEffects(tx, asked, now, makeTasksIn(workshop, tx, org_id));
}
