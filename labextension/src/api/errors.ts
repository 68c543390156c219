import { FieldProblem, Problem } from './models';

/**
 * What an answer means that the server half has not written: none came; nothing of ours is
 * there; something on the way answered instead, for example a proxy.
 */
export type ForeignCode = 'Unreachable' | 'NoExtension' | 'BadAnswer';

/**
 * A call that failed, in the words of the server: what happened, which rule, what to do.
 *
 * `status` is 0 where no answer came.
 */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly fields: FieldProblem[];

  constructor(
    problem: Partial<Problem> & { code: string; message: string },
    readonly status: number
  ) {
    super(problem.message);
    this.name = 'ApiError';
    this.code = problem.code;
    this.hint = problem.hint ?? '';
    this.fields = problem.fields ?? [];
  }
}

/** A call that its caller aborted; nothing to show. */
export class Aborted extends Error {}

/** Return whether what was asked for may have been done although no answer says so. */
export function isOutcomeUnknown({ code, status }: ApiError): boolean {
  return (
    ['OutcomeUnknown', 'Unreachable'].includes(code) ||
    (code === 'BadAnswer' && status >= 500) // a proxy that gave up
  );
}

/** Return any thrown thing as an ApiError. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  const message = error instanceof Error ? error.message : String(error);
  return foreign('Unreachable', message, 0);
}

/** Make the error of an answer that is not ours. */
export function foreign(
  code: ForeignCode,
  message: string,
  status: number
): ApiError {
  return new ApiError({ code, message }, status);
}
