export function TaskScreen() { return null; }
