export function LifecycleScreen() { return null; }
