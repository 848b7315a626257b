import { useQuery, useQueryClient } from "@tanstack/react-query";
import { client, goBack, signOut } from "../data/client.ts";
import type { Me } from "../data/client.ts";
import { keys } from "../data/keys.ts";
import { useMe } from "../data/queries.ts";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { useAttempt } from "../design/use-attempt.ts";
import { useTexts } from "../texts/use-texts.ts";
import { demoTexts } from "./demo-texts.ts";
import "./demo-bar.css";

/** Above everything in the demo: what this is, and the ways out of it. */
export function DemoBar() {
  const me = useMe();
  const t = useTexts(demoTexts);
  const { data } = useDemo(me);
  const { data: session } = useQuery({ queryKey: keys.session, queryFn: () => client.getSession() });
  const [busy, act] = useDemoDeed();
  if (me.org_id !== "demo") return null;
  const running = data?.state !== "stopped";
  const home = session?.can_go_back ?? false;
  return (
    <div className="demo-bar" role="status">
      <Icon name={running ? "play" : "pause"} />
      <span>{running ? t.inside : t.insideStopped}</span>
      <span className="push" />
      <Button small disabled={busy} onClick={() => void act(running ? client.stopDemo : client.startDemo)}>
        {running ? t.stop : t.goOn}
      </Button>
      <Button small disabled={busy} onClick={() => void act(() => remove(home))}>
        {busy ? t.removing : t.remove}
      </Button>
      {home && (
        <Button small look="main" disabled={busy} onClick={() => void act(leave)}>
          {t.leave}
        </Button>
      )}
    </div>
  );
}

/** On the overview of whoever runs this Pawl: an invitation where nothing is, and the way into a demo that is there. */
export function DemoCard({ empty }: { empty: boolean }) {
  const me = useMe();
  const t = useTexts(demoTexts);
  const { data } = useDemo(me);
  const [busy, act] = useDemoDeed();
  if (me.org_id !== "main" || !data || data.state === "removing" || (data.state === "absent" && !empty))
    return null;
  const { state } = data;
  return (
    <section className="card demo-card" data-state={state}>
      <div className="body">
        {state === "absent" && <h2>{t.title}</h2>}
        <p>{state === "absent" ? t.invitation : t[state]}</p>
        <div className="row">
          <Button look="main" icon="play" disabled={busy} onClick={() => void act(enter)}>
            {busy ? t.starting : state === "absent" ? t.start : state === "running" ? t.enter : t.goOn}
          </Button>
          {state === "running" && (
            <Button disabled={busy} onClick={() => void act(client.stopDemo)}>
              {t.stop}
            </Button>
          )}
          {state !== "absent" && (
            <Button disabled={busy} onClick={() => void act(client.removeDemo)}>
              {t.remove}
            </Button>
          )}
        </div>
      </div>
    </section>
  );
}

/** Nobody else is told of it. */
function useDemo(me: Me) {
  return useQuery({
    queryKey: keys.demo,
    queryFn: () => client.getDemo(),
    enabled:
      me.roles.includes("admin") && me.project_ids === null && (me.org_id === "main" || me.org_id === "demo"),
    refetchInterval: 15_000,
    retry: false,
  });
}

/** The session that there is now is kept for the way back. */
async function enter(): Promise<void> {
  const { token } = await client.startDemo();
  await client.signIn({ token, over: true });
  location.assign("/");
}

async function leave(): Promise<void> {
  await goBack();
  location.assign("/");
}

/** Home first: in a demo that is gone nobody is signed in. */
async function remove(home: boolean): Promise<void> {
  if (home) await goBack();
  await client.removeDemo();
  if (home) location.assign("/");
  else await signOut();
}

/** Whatever comes of it, how the demo stands is asked anew. */
function useDemoDeed(): [boolean, (deed: () => Promise<unknown>) => Promise<void>] {
  const queryClient = useQueryClient();
  const [busy, attempt] = useAttempt();
  const act = async (deed: () => Promise<unknown>) => {
    await attempt(deed);
    await queryClient.invalidateQueries({ queryKey: keys.demo });
  };
  return [busy, act];
}
