import { createContext, createElement, StrictMode } from "react";
import type { ReactNode } from "react";
import Reconciler from "react-reconciler";
import { ConcurrentRoot, DefaultEventPriority } from "react-reconciler/constants.js";
import { onTestFinished } from "vitest";

const nothing = () => undefined;
let priority = 0;

/** A host config for React that renders nothing, so that it needs only a few methods. */
const EMPTY_HOST = {
  supportsMutation: true,
  isPrimaryRenderer: true,
  getRootHostContext: () => ({}),
  getChildHostContext: () => ({}),
  prepareForCommit: () => null,
  resetAfterCommit: nothing,
  clearContainer: nothing,
  detachDeletedInstance: nothing,
  scheduleTimeout: setTimeout,
  cancelTimeout: clearTimeout,
  noTimeout: -1,
  supportsMicrotasks: true,
  scheduleMicrotask: queueMicrotask,
  NotPendingTransition: null,
  HostTransitionContext: createContext(null),
  setCurrentUpdatePriority: (next: number) => {
    priority = next;
  },
  getCurrentUpdatePriority: () => priority,
  resolveUpdatePriority: () => priority || DefaultEventPriority,
  resolveEventType: () => null,
  resolveEventTimeStamp: () => -1,
  trackSchedulerEvent: nothing,
  shouldAttemptEagerTransition: () => false,
  requestPostPaintCallback: nothing,
  maySuspendCommit: () => false,
};

const reconciler = Reconciler(EMPTY_HOST as never);

export type Staged<T> = {
  /** The hook's last result. */
  readonly now: T;
  /** All results of the hook, in order. */
  readonly history: readonly T[];
  leave(): void;
};

/** Runs a hook in a real React tree in strict mode, which runs effects twice. */
export function stage<T>(useHook: () => T, wrap: (children: ReactNode) => ReactNode): Staged<T> {
  const history: T[] = [];
  const Component = () => {
    history.push(useHook());
    return null;
  };
  const fail = (error: unknown) => {
    throw error;
  };
  const root: unknown = reconciler.createContainer(
    {},
    ConcurrentRoot,
    null,
    true,
    null,
    "",
    fail,
    fail,
    fail,
    nothing,
    null,
  );
  const show = (tree: ReactNode) => {
    reconciler.updateContainerSync(tree, root, null, null);
    reconciler.flushSyncWork();
    reconciler.flushPassiveEffects();
  };
  show(createElement(StrictMode, null, wrap(createElement(Component))));
  const leave = () => {
    show(null);
  };
  onTestFinished(leave);
  return {
    history,
    leave,
    get now() {
      return history.at(-1) as T;
    },
  };
}
