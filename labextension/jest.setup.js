const { configure } = require('@testing-library/dom');

// A busy machine takes seconds to load what is imported when it is needed.
configure({ asyncUtilTimeout: 60000 });
