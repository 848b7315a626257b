import {
  addresses,
  Avatar,
  Deadline,
  Link,
  StatusChip,
  useMemberNames,
  useTexts,
} from "../../../console/index.ts";
import type { Member, Task } from "../../../console/index.ts";
import { TEXTS } from "./texts.ts";

/** The agents that hold tasks, with each task and the time left until its deadline. */
export function Holders({ tasks, agents }: { tasks: readonly Task[]; agents: readonly Member[] }) {
  const texts = useTexts(TEXTS);
  const nameOf = useMemberNames();
  const held = new Map<string, Task[]>();
  for (const task of tasks) {
    const owner = task.assigned_to ?? "";
    held.set(owner, [...(held.get(owner) ?? []), task]);
  }
  const holders = [...held].toSorted(([a], [b]) => nameOf(a).localeCompare(nameOf(b)));
  const idle = agents.filter(({ id }) => !held.has(id)).length;
  return (
    <section className="stack" aria-labelledby="holders">
      <header className="row wrap">
        <h2 id="holders">{texts.holds}</h2>
        {idle > 0 && <span className="faint small">{texts.idle(idle)}</span>}
      </header>
      {holders.length === 0 && <p className="card body faint">{texts.noHolders}</p>}
      <ul className="holders">
        {holders.map(([id, owned]) => (
          <li key={id} className="card holder" data-agent={id}>
            <header className="row">
              <Avatar id={id} name={nameOf(id)} />
              <b className="cut">{nameOf(id)}</b>
              <span className="faint small push num">{texts.held(owned.length)}</span>
            </header>
            <ul className="held">
              {owned.map((task) => (
                <li key={task.id}>
                  <span className="row">
                    <Link className="cut" href={addresses.task(task.id)} title={task.title}>
                      {task.title}
                    </Link>
                    <span className="push" />
                    <StatusChip lifecycle={task.lifecycle} status={task.status} />
                  </span>
                  <Deadline task={task} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}
