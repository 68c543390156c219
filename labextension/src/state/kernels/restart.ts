import { ApiError, asApiError } from '../../api/errors';
import { ResizeRequest, Session } from '../../api/models';
import { IGpuWorkspace } from '../../tokens';
import { FormModel } from '../formmodel';
import { VariableChoice } from './variables';

/** How a form becomes a request to restart a session. */
export interface IRestartForm<Name extends string> {
  initial: Record<Name, string>;
  request: (draft: Readonly<Record<Name, string>>) => ResizeRequest;
  /** Return the control that a field of the request belongs to. */
  controlOf?: (field: string) => string | undefined;
}

/** The form of a restart, with the variables that are kept meanwhile. */
export class RestartModel<Name extends string> extends FormModel<Name, true> {
  readonly choice: VariableChoice;

  constructor(
    workspace: Pick<IGpuWorkspace, 'about' | 'actions' | 'call'>,
    session: Session,
    { initial, request, controlOf }: IRestartForm<Name>
  ) {
    const choice = new VariableChoice(workspace, session);
    super(initial, async draft => {
      await workspace.actions
        .resize(session.id, { ...request(draft), ...choice.request })
        .catch(thrown => byControl(thrown, controlOf));
      return true;
    });
    this.choice = choice;
  }

  dispose(): void {
    this.choice.dispose();
    super.dispose();
  }
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
