import {
  ChangePreview,
  PageAuditEntry,
  ProjectAnswer,
  ProjectRemoval,
  ProjectRequest,
  Projects,
  SettingsChange
} from '../api/models';
import { call, read, Settings } from '../api/request';
import { routes } from '../api/routes';
import { IAdministration } from '../tokens';
import { Resource } from './resource';

/** Changes that are read at once, of those that are kept. */
const AUDITED = 500;

/** Make a resource out of its reader. */
type Make = <T>(
  route: { name: string; noun: string },
  reader: Resource.IOptions<T>['read']
) => Resource<T>;

/** Know the projects as they are set, and change them. */
export class Administration implements IAdministration {
  /** `onChange` is called after every change that was made from here. */
  constructor(
    private _settings: Settings,
    make: Make,
    private _onChange: () => void
  ) {
    this.projects = make<Projects>(routes.projectsList, (etag, background) =>
      read(_settings, routes.projectsList, { etag, background })
    );
    this.audit = make<PageAuditEntry>(routes.auditList, (etag, background) =>
      read(_settings, routes.auditList, {
        query: { limit: AUDITED },
        etag,
        background
      })
    );
    this.projects.changed.connect(this._onProjects, this);
  }

  readonly projects: Resource<Projects>;
  readonly audit: Resource<PageAuditEntry>;

  preview(change: SettingsChange): Promise<ChangePreview> {
    return call(this._settings, routes.settingsPreview, { body: change });
  }

  put(name: string, request: ProjectRequest): Promise<ProjectAnswer> {
    return this._change(
      call(this._settings, routes.projectsPut, {
        args: { name },
        body: request
      })
    );
  }

  delete(name: string, removal: ProjectRemoval): Promise<ProjectAnswer> {
    return this._change(
      call(this._settings, routes.projectsDelete, {
        args: { name },
        query: removal
      })
    );
  }

  private async _change<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } finally {
      // A change that was refused may mean that what is shown is out of date.
      this.projects.invalidate();
      this.audit.invalidate();
      this._onChange();
    }
  }

  /** Read the log again once projects are set otherwise: it has no revision of its own. */
  private _onProjects(): void {
    const { result } = this.projects;
    if (result.status !== 'ready') {
      return;
    }
    const revisions = result.value.items
      .map(({ name, revision }) => `${name} ${revision}`)
      .join();
    if (revisions !== this._revisions) {
      this._revisions = revisions;
      this.audit.invalidate();
    }
  }

  private _revisions = '';
}
