/** Settings are read again after this, in case they were changed by hand. */
const MAX_AGE_MS = 5_000;

/** The settings of an org's projects, as text, at one version. */
export type CachedSettings = {
  version: number;
  projects: ReadonlyMap<string, string>;
  /** Whether all projects of the org are included. */
  isAll: boolean;
};

/** Cache of settings. Decisions based on it are written only if the version is still current. */
export class SettingsCache {
  private readonly orgs = new Map<
    string,
    CachedSettings & { readonly projects: Map<string, string>; readAt: number }
  >();

  get(org_id: string): CachedSettings | undefined {
    const known = this.orgs.get(org_id);
    return known && performance.now() - known.readAt < MAX_AGE_MS ? known : undefined;
  }

  set(org_id: string, version: number, project_id: string, stored: string): void {
    const known = this.orgs.get(org_id);
    const now = performance.now();
    if (known?.version === version && now - known.readAt < MAX_AGE_MS) known.projects.set(project_id, stored);
    else this.setAll(org_id, version, new Map([[project_id, stored]]), false);
  }

  setAll(org_id: string, version: number, projects: Map<string, string>, isAll: boolean): void {
    this.orgs.set(org_id, { version, projects, isAll, readAt: performance.now() });
  }

  delete(org_id: string): void {
    this.orgs.delete(org_id);
  }
}
