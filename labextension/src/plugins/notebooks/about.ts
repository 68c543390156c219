/** What a kernelspec, or a kernel itself, says of its session. */
export interface IKernelAbout {
  session?: unknown;
  template?: unknown;
}

/** Return our part of the metadata of a kernelspec, or of what a kernel says about itself. */
export function aboutSession(found: unknown): IKernelAbout {
  const { gpuquota } = Object(found) as { gpuquota?: unknown };
  return Object(gpuquota) as IKernelAbout;
}
