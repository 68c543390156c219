/** What a kernelspec, or a kernel itself, says of its session. */
export interface IKernelAbout {
  session?: unknown;
  template?: unknown;
  /** The notebook's folder, and whether the session has it; only a kernel knows. */
  folder?: unknown;
}

/** Return our part of the metadata of a kernelspec, or of what a kernel says about itself. */
export function aboutSession(found: unknown): IKernelAbout {
  const { gpuquota } = Object(found) as { gpuquota?: unknown };
  return Object(gpuquota) as IKernelAbout;
}

/** Return the notebook's folder that a kernel's session does not have, empty if it may have it. */
export function missingFolder(info: unknown): string {
  const { found, path } = Object(aboutSession(info).folder) as {
    found?: unknown;
    path?: unknown;
  };
  return found === false && typeof path === 'string' ? path : '';
}
