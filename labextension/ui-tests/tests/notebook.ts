/** A notebook of one cell, whose kernel starts when it is opened. */
export const NOTEBOOK = {
  cells: [
    {
      cell_type: 'code',
      id: 'a',
      execution_count: null,
      metadata: {},
      outputs: [],
      source: 'old'
    }
  ],
  metadata: { kernelspec: { name: 'python3', display_name: 'Python 3' } },
  nbformat: 4,
  nbformat_minor: 5
};
