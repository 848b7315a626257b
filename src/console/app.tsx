import { useEffect, useMemo, useState } from "react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { PawlProblem, resumeSession, whenSignedOut } from "./data/client.ts";
import type { Me } from "./data/client.ts";
import { keys } from "./data/keys.ts";
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

/** Whoever is signed in sees the console; whoever is not is asked who he is. */
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
        {session.kind === "member" && <SignedIn me={session.me} key={session.me.id} />}
        <Toasts />
      </Boundary>
    </I18nProvider>
  );
}

/** What one member was told is never shown to the next. */
function SignedIn({ me }: { me: Me }) {
  const queryClient = useMemo(() => {
    const made = new QueryClient({ defaultOptions: { queries: { retry: worthTrying, staleTime: 5_000 } } });
    made.setQueryData(keys.me, me);
    return made;
  }, [me]);
  return (
    <QueryClientProvider client={queryClient}>
      <PluginsProvider>
        <Shell />
      </PluginsProvider>
    </QueryClientProvider>
  );
}

/** The client has tried already; a refusal stays one. */
function worthTrying(failures: number, error: unknown): boolean {
  return failures < 3 && (!(error instanceof PawlProblem) || error.code === "UNAVAILABLE");
}
