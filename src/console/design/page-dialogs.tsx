import { createContext, Fragment, useCallback, useContext, useEffect, useId, useMemo, useState } from "react";
import type { ReactNode } from "react";

type Host = { show: (id: string, dialog: ReactNode) => void; remove: (id: string) => void };

const HostContext = createContext<Host | null>(null);

/** Renders the dialogs of the page beside its content. Leaving the page closes them. */
export function PageDialogs({ page, children }: { page: string; children: ReactNode }) {
  const [dialogs, setDialogs] = useState<ReadonlyMap<string, ReactNode>>(new Map());
  const host = useMemo<Host>(
    () => ({
      show: (id, dialog) => {
        setDialogs((shown) => new Map(shown).set(id, dialog));
      },
      remove: (id) => {
        setDialogs((shown) => new Map([...shown].filter(([other]) => other !== id)));
      },
    }),
    [],
  );
  useEffect(
    () => () => {
      setDialogs(new Map());
    },
    [page],
  );
  return (
    <HostContext.Provider value={host}>
      {children}
      {[...dialogs].map(([id, dialog]) => (
        <Fragment key={id}>{dialog}</Fragment>
      ))}
    </HostContext.Provider>
  );
}

/**
 * Renders a dialog as part of the page. It stays open, with its input, when an event removes the row or button that opened it;
 * only `close` and leaving the page end it.
 */
export function PageDialog({
  onClose,
  children,
}: {
  onClose: () => void;
  children: (close: () => void) => ReactNode;
}) {
  const host = useContext(HostContext);
  const id = useId();
  if (!host) throw new Error("PageDialog needs <PageDialogs> above");
  const close = useCallback(() => {
    host.remove(id);
    onClose();
  }, [host, id, onClose]);
  useEffect(() => {
    host.show(id, children(close));
  });
  return null;
}
