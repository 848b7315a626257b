import { useQuery, useQueryClient } from "@tanstack/react-query";
import { client, goBack, signOut } from "../data/client.ts";
import type { Me } from "../data/client.ts";
import { keys } from "../data/keys.ts";
import { useMe } from "../data/queries.ts";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { Menu } from "../design/menu.tsx";
import { useToastOnError } from "../design/use-toast-on-error.ts";
import { useI18n } from "../texts/i18n.tsx";
import type { Language } from "../texts/i18n.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { demoTexts } from "./demo-texts.ts";
import "./demo-bar.css";

/** Bar above every page of the demo, with buttons to stop, remove or leave it, or to have it in the console's language. */
export function DemoBar() {
  const me = useMe();
  const { language } = useI18n();
  const t = useTexts(demoTexts);
  const { data } = useDemo(me);
  const { data: session } = useQuery({
    queryKey: keys.session,
    queryFn: () => client.getSession(),
    staleTime: Infinity,
  });
  const [busy, act] = useDemoAction();
  if (me.org_id !== "demo") return null;
  const running = data?.state !== "stopped";
  const canGoBack = session?.can_go_back ?? false;
  const actions = [
    running ? { label: t.stop, run: client.stopDemo } : { label: t.resume, run: client.startDemo },
    ...(isInOtherLanguage(data, language)
      ? [{ label: t.restart, run: () => restart(language, canGoBack) }]
      : []),
    { label: busy ? t.removing : t.remove, run: () => remove(canGoBack) },
  ];
  return (
    <div className="demo-bar" role="status">
      <Icon name={running ? "play" : "pause"} />
      <span className="cut" title={running ? t.inside : t.insideStopped}>
        {running ? t.inside : t.insideStopped}
      </span>
      <span className="push" />
      {actions.map(({ label, run }) => (
        <Button key={label} small className="wide-only" disabled={busy} onClick={() => void act(run)}>
          {label}
        </Button>
      ))}
      <span className="narrow-only">
        <Menu label={t.more} className="button quiet icon small" button={<Icon name="more" />}>
          {(close) =>
            actions.map(({ label, run }) => (
              <button
                key={label}
                type="button"
                disabled={busy}
                onClick={() => {
                  close();
                  void act(run);
                }}
              >
                {label}
              </button>
            ))
          }
        </Menu>
      </span>
      {canGoBack && (
        <Button small look="main" disabled={busy} onClick={() => void act(leave)}>
          {t.leave}
        </Button>
      )}
    </div>
  );
}

/** Card on the overview for admins: invites to the demo while the org is empty, and leads to an existing demo. */
export function DemoCard({ empty }: { empty: boolean }) {
  const me = useMe();
  const { language } = useI18n();
  const t = useTexts(demoTexts);
  const { data } = useDemo(me);
  const [busy, act] = useDemoAction();
  if (me.org_id !== "main" || !data || data.state === "removing" || (data.state === "absent" && !empty))
    return null;
  const { state } = data;
  return (
    <section className="card demo-card" data-state={state}>
      <div className="body">
        {state === "absent" && <h2>{t.title}</h2>}
        <p>{state === "absent" ? t.invitation : t[state]}</p>
        <div className="row">
          <Button
            look="main"
            icon="play"
            disabled={busy}
            onClick={() => void act(() => enter(state === "absent" ? { language } : {}))}
          >
            {busy ? t.starting : state === "absent" ? t.start : state === "running" ? t.enter : t.resume}
          </Button>
          {state === "running" && (
            <Button disabled={busy} onClick={() => void act(client.stopDemo)}>
              {t.stop}
            </Button>
          )}
          {isInOtherLanguage(data, language) && (
            <Button disabled={busy} onClick={() => void act(() => enter({ language }))}>
              {t.restart}
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

type Demo = Awaited<ReturnType<typeof client.getDemo>>;

/** State of the demo; only queried for admins of the main org and of the demo. */
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

function isInOtherLanguage(demo: Demo | undefined, language: Language): boolean {
  return demo?.language != null && demo.language !== language;
}

/** Signs in to the demo and keeps the current session to return to. A given language replaces a demo in another one. */
async function enter({ language, over = true }: { language?: Language; over?: boolean }): Promise<void> {
  const { token } = await client.startDemo(language ? { language } : {});
  await client.signIn({ token, over });
  location.assign("/");
}

/** Leaves first: replacing the demo ends its sessions. */
async function restart(language: Language, canGoBack: boolean): Promise<void> {
  if (canGoBack) await goBack();
  await enter({ language, over: canGoBack });
}

async function leave(): Promise<void> {
  await goBack();
  location.assign("/");
}

/** Leaves first: removing the demo ends its sessions. */
async function remove(canGoBack: boolean): Promise<void> {
  if (canGoBack) await goBack();
  await client.removeDemo();
  if (canGoBack) location.assign("/");
  else await signOut();
}

/** Runs an action on the demo, then refetches its state. */
function useDemoAction(): [boolean, (action: () => Promise<unknown>) => Promise<void>] {
  const queryClient = useQueryClient();
  const [busy, run] = useToastOnError();
  const act = async (action: () => Promise<unknown>) => {
    await run(action);
    await queryClient.invalidateQueries({ queryKey: keys.demo });
  };
  return [busy, act];
}
