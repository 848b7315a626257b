import { useEffect, useMemo, useRef, useState } from "react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { PawlProblem, resumeSession, whenSignedOut } from "./data/client.ts";
import type { Me, Session as StoredSession } from "./data/client.ts";
import { keys } from "./data/keys.ts";
import { takeLoginCode } from "./data/login-code.ts";
import { useConnection, useLiveFeed } from "./data/live.ts";
import { OutboxProvider } from "./data/use-outbox.tsx";
import { ErrorState } from "./design/states.tsx";
import { Toasts } from "./design/toasts.tsx";
import { Boundary } from "./loading/boundary.tsx";
import { SignIn } from "./screens/sign-in/sign-in.tsx";
import { SignInByLink } from "./screens/sign-in/sign-in-by-link.tsx";
import { PluginsProvider } from "./plugins/plugins-provider.tsx";
import { Shell } from "./shell/shell.tsx";
import { I18nProvider } from "./texts/i18n.tsx";

type Session =
  | { kind: "asking" }
  | { kind: "nobody"; ended: boolean }
  | { kind: "link"; code: string; me: Me | null; stored: StoredSession | null }
  | { kind: "member"; me: Me; stored: StoredSession | null }
  | { kind: "trouble"; error: unknown };

/** Shows the console to a signed-in member, and the sign-in page to everyone else. */
export function Console() {
  const [session, setSession] = useState<Session>({ kind: "asking" });
  const code = useRef<string | null>(null);
  const resume = () => {
    setSession({ kind: "asking" });
    resumeSession().then(
      (resumed) => {
        const [me, stored] = [resumed?.me ?? null, resumed?.session ?? null];
        if (code.current !== null) setSession({ kind: "link", code: code.current, me, stored });
        else
          setSession(
            resumed
              ? { kind: "member", me: resumed.me, stored: resumed.session }
              : { kind: "nobody", ended: false },
          );
      },
      (error: unknown) => {
        setSession({ kind: "trouble", error });
      },
    );
  };
  useEffect(() => {
    code.current ??= takeLoginCode();
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
              setSession({ kind: "member", me, stored: null });
            }}
          />
        )}
        {session.kind === "link" && (
          <SignInByLink
            code={session.code}
            me={session.me}
            onSignedIn={(me) => {
              code.current = null;
              setSession({ kind: "member", me, stored: null });
            }}
            onCancel={() => {
              code.current = null;
              const { me, stored } = session;
              setSession(me ? { kind: "member", me, stored } : { kind: "nobody", ended: false });
            }}
          />
        )}
        {session.kind === "member" && (
          <SignedIn me={session.me} stored={session.stored} key={`${session.me.org_id}/${session.me.id}`} />
        )}
        <Toasts />
      </Boundary>
    </I18nProvider>
  );
}

/** Each member gets a new query cache, so that data of one member is never shown to the next. */
function SignedIn({ me, stored }: { me: Me; stored: StoredSession | null }) {
  const queryClient = useMemo(() => {
    const client = new QueryClient({ defaultOptions: { queries: { retry: shouldRetry, staleTime: 5_000 } } });
    client.setQueryData(keys.me, me);
    if (stored) client.setQueryData(keys.session, stored);
    return client;
  }, [me, stored]);
  useLiveFeed(queryClient);
  if (!useIsListening()) return null;
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

/** The longest time for which the page waits for the event stream. */
const MAX_WAIT_MS = 1_000;

/** False until the event stream is open, so that data are fetched after it, and therefore once. A slow stream delays nothing for long. */
function useIsListening(): boolean {
  const { state } = useConnection();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (state !== "connecting") setReady(true);
    const timer = setTimeout(() => {
      setReady(true);
    }, MAX_WAIT_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [state]);
  return isReady;
}

/** Retries outages only: the client has already retried the request, and a refusal does not change. */
function shouldRetry(failures: number, error: unknown): boolean {
  return failures < 3 && (!(error instanceof PawlProblem) || error.code === "UNAVAILABLE");
}
