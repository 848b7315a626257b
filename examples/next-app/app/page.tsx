import { connection } from "next/server";
import { office } from "../lib/pawl.ts";
import { finishRequest } from "./actions.ts";
import { LiveUpdates } from "./live-updates.tsx";
import { NewRequest } from "./new-request.tsx";

/** Renders the list on the server. `LiveUpdates` renders it again when a task changes. */
export default async function Page() {
  // Render at each request, not during the build.
  await connection();
  const { tasks } = await (await office()).lifecycle("request").list({ limit: 50, order: "desc" });
  return (
    <main>
      <h1>Office requests</h1>
      <NewRequest />
      <LiveUpdates />
      <ul aria-label="Requests">
        {tasks.map(({ id, title, status, data }) => (
          <li key={id} data-status={status}>
            <span>{title}</span>
            <small>room {data.room}</small>
            {status === "open" ? (
              <form action={finishRequest.bind(null, id)}>
                <button>Done</button>
              </form>
            ) : (
              <small>done</small>
            )}
          </li>
        ))}
      </ul>
    </main>
  );
}
