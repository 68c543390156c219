import { ApiError, asApiError } from '../../api/errors';
import { ResizeRequest, Session } from '../../api/models';
import { IGpuWorkspace } from '../../tokens';
import { FormModel } from '../formmodel';
import { can } from '../sessions';
import { namesOf } from '../settings/formvalues';

/** The fields of variables that are kept, and of the notebook that has them. */
export type KeptField = 'keep' | 'notebook';

/** How a form becomes a request to restart a session. */
export interface IRestartForm<Name extends string> {
  initial: Record<Name, string>;
  request: (draft: Readonly<Record<Name, string>>) => ResizeRequest;
  /** Return the control that a field of the request belongs to. */
  controlOf?: (field: string) => string | undefined;
}

/** The form of a restart, with the variables that are kept meanwhile. */
export class RestartModel<Name extends string> extends FormModel<
  Name | KeptField,
  true
> {
  constructor(
    workspace: Pick<IGpuWorkspace, 'about' | 'actions'>,
    session: Session,
    { initial, request, controlOf }: IRestartForm<Name>
  ) {
    const empty = { keep: '', notebook: '' } as Record<KeptField, string>;
    super(
      { ...empty, ...initial } as Record<Name | KeptField, string>,
      async draft => {
        await workspace.actions
          .resize(session.id, { ...request(draft), ...kept(draft) })
          .catch(thrown => byControl(thrown, controlOf));
        return true;
      }
    );
    const { state, spec } = session;
    const { result } = workspace.about;
    this.canKeep =
      state === 'running' &&
      !spec.command.length &&
      can(session, 'exec') &&
      result.status === 'ready' &&
      result.value.capabilities.includes('variables');
  }

  /** Whether its kernels can write variables: those of a session with pages that runs. */
  readonly canKeep: boolean;
}

/** Return the part of a request that keeps variables, empty without names. */
function kept(draft: Readonly<Record<KeptField, string>>): ResizeRequest {
  const keep = namesOf(draft.keep);
  return keep.length ? { keep, notebook: draft.notebook.trim() } : {};
}

/** Throw an error again whose fields are named as the controls of the form. */
function byControl(
  thrown: unknown,
  controlOf: (field: string) => string | undefined = () => undefined
): never {
  const error = asApiError(thrown);
  const fields = error.fields.map(problem => ({
    ...problem,
    field: controlOf(problem.field) ?? problem.field
  }));
  const { code, hint, message, status } = error;
  throw new ApiError({ code, message, hint, fields }, status);
}
