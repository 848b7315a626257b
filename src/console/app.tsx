import { useEffect, useMemo, useState } from "react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { PawlProblem, resumeSession, whenSignedOut } from "./data/client.ts";
import type { Me } from "./data/client.ts";
import { keys } from "./data/keys.ts";
import { OutboxProvider } from "./data/use-outbox.tsx";
import { ErrorState } from "./design/states.tsx";
import { Toasts } from "./design/toasts.tsx";
import { Boundary } from "./loading/boundary.tsx";
import { SignIn } from "./screens/sign-in/sign-in.tsx";
import { PluginsProvider } from "./plugins/plugins-provider.tsx";
import { Shell } from "./shell/shell.tsx";
import { I18nProvider } from "./texts/i18n.tsx";

type Session =
  | { kind: "asking" }
  | { kind: "nobody"; ended: boolean }
  | { kind: "member"; me: Me }
  | { kind: "trouble"; error: unknown };

/** Shows the console to a signed-in member, and the sign-in page to everyone else. */
export function Console() {
  const [session, setSession] = useState<Session>({ kind: "asking" });
  const resume = () => {
    setSession({ kind: "asking" });
    resumeSession().then(
      (me) => {
        setSession(me ? { kind: "member", me } : { kind: "nobody", ended: false });
      },
      (error: unknown) => {
        setSession({ kind: "trouble", error });
      },
    );
  };
  useEffect(() => {
    whenSignedOut(() => {
      setSession({ kind: "nobody", ended: true });
    });
    resume();
  }, []);
  return (
    <I18nProvider>
      <Boundary around="page">
        {session.kind === "trouble" && (
          <main className="lone-state">
            <ErrorState error={session.error} onRetry={resume} />
          </main>
        )}
        {session.kind === "nobody" && (
          <SignIn
            ended={session.ended}
            onSignedIn={(me) => {
              setSession({ kind: "member", me });
            }}
          />
        )}
        {session.kind === "member" && (
          <SignedIn me={session.me} key={`${session.me.org_id}/${session.me.id}`} />
        )}
        <Toasts />
      </Boundary>
    </I18nProvider>
  );
}

/** Each member gets a new query cache, so that data of one member is never shown to the next. */
function SignedIn({ me }: { me: Me }) {
  const queryClient = useMemo(() => {
    const client = new QueryClient({ defaultOptions: { queries: { retry: shouldRetry, staleTime: 5_000 } } });
    client.setQueryData(keys.me, me);
    return client;
  }, [me]);
  return (
    <QueryClientProvider client={queryClient}>
      <PluginsProvider>
        <OutboxProvider>
          <Shell />
        </OutboxProvider>
      </PluginsProvider>
    </QueryClientProvider>
  );
}

/** Retries outages only: the client has already retried the request, and a refusal does not change. */
function shouldRetry(failures: number, error: unknown): boolean {
  return failures < 3 && (!(error instanceof PawlProblem) || error.code === "UNAVAILABLE");
}
