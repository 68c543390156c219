import plugins from '..';

describe('the extension', () => {
  it('has plugins under the name of the npm package, each once', () => {
    const ids = plugins.map(plugin => plugin.id);
    expect(ids).toContain('jupyter-gpuquota:plugin');
    expect(ids.filter(id => !id.startsWith('jupyter-gpuquota:'))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('says of each plugin what it does', () => {
    const silent = plugins.filter(plugin => !plugin.description);
    expect(silent).toEqual([]);
  });

  it('needs no part of JupyterLab that Notebook 7 lacks', () => {
    const required = plugins
      .flatMap(plugin => plugin.requires ?? [])
      .map(token => token.name);
    expect(new Set(required)).toEqual(
      new Set(['jupyter-gpuquota:IGpuWorkspace'])
    );
  });
});
