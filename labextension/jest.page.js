/** What jsdom lacks: without it JupyterLab warns in each suite, and finds the source of each line for that. */
navigator.clipboard ??= { write: async () => {}, writeText: async () => {} };
