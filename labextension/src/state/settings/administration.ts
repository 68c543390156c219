import {
  ChangePreview,
  Groups,
  Message,
  PageAuditEntry,
  Policy,
  PolicyRequest,
  ProjectAnswer,
  ProjectRemoval,
  ProjectRequest,
  Projects,
  Rules,
  SettingsText,
  SettingsTextRequest
} from '../../api/models';
import { call, read, Settings } from '../../api/request';
import { routes } from '../../api/routes';
import { IAdministration } from '../../tokens';
import { Resource } from '../resource';

/** Changes that are read at once, of those that are kept. */
const AUDITED = 500;

/** Make a resource out of its reader. */
type Make = <T>(
  route: { name: string; noun: string },
  reader: Resource.IOptions<T>['read']
) => Resource<T>;

/** The projects, rules, node groups and policy as they are set, and the calls that change them. */
export class Administration implements IAdministration {
  /** `onChange` is called after every change that was made from here. */
  constructor(
    private _settings: Settings,
    make: Make,
    private _onChange: () => void
  ) {
    // Whatever is set counts as a change of quotas.
    const { noun } = routes.projectsList;
    this.projects = make<Projects>(routes.projectsList, (etag, background) =>
      read(_settings, routes.projectsList, { etag, background })
    );
    this.rules = make<Rules>({ ...routes.rulesGet, noun }, (etag, background) =>
      read(_settings, routes.rulesGet, { etag, background })
    );
    this.groups = make<Groups>(
      { ...routes.groupsGet, noun },
      (etag, background) =>
        read(_settings, routes.groupsGet, { etag, background })
    );
    this.policy = make<Policy>(routes.policyGet, (etag, background) =>
      read(_settings, routes.policyGet, { etag, background })
    );
    this.audit = make<PageAuditEntry>(routes.auditList, (etag, background) =>
      read(_settings, routes.auditList, {
        query: { limit: AUDITED },
        etag,
        background
      })
    );
    this._settable.forEach(item => item.changed.connect(this._onSet, this));
  }

  readonly projects: Resource<Projects>;
  readonly rules: Resource<Rules>;
  readonly groups: Resource<Groups>;
  readonly policy: Resource<Policy>;
  readonly audit: Resource<PageAuditEntry>;

  preview(request: ProjectRequest): Promise<ChangePreview> {
    return call(this._settings, routes.projectsPreview, { body: request });
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

  text(): Promise<SettingsText> {
    return call(this._settings, routes.settingsGet, {});
  }

  putText(request: SettingsTextRequest): Promise<SettingsText> {
    return this._change(
      call(this._settings, routes.settingsPut, { body: request })
    );
  }

  putPolicy(request: PolicyRequest): Promise<Policy> {
    return this._change(
      call(this._settings, routes.policyPut, { body: request })
    );
  }

  previewPolicy(request: PolicyRequest): Promise<Message> {
    return call(this._settings, routes.policyPreview, { body: request });
  }

  private get _settable(): Resource<Projects | Rules | Groups | Policy>[] {
    return [this.projects, this.rules, this.groups, this.policy] as Resource<
      Projects | Rules | Groups | Policy
    >[];
  }

  private async _change<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } finally {
      // A change that was refused may mean that what is shown is out of date.
      this._settable.forEach(item => item.invalidate());
      this.audit.invalidate();
      this._onChange();
    }
  }

  /** Read the log again once something is set otherwise: it has no revision of its own. */
  private _onSet(): void {
    const revisions = this._settable
      .map(({ result }) =>
        result.status === 'ready' ? revisionsOf(result.value) : ''
      )
      .join(';');
    if (revisions !== this._revisions) {
      this._revisions = revisions;
      this.audit.invalidate();
    }
  }

  private _revisions = '';
}

/** The list of projects has a revision that use changes, too; that of each project has not. */
function revisionsOf(value: Projects | Rules | Groups | Policy): string {
  return 'source' in value
    ? value.items.map(({ name, revision }) => `${name} ${revision}`).join()
    : value.revision;
}
