/** The components of JupyterLab's toolbars and lists, as the elements that they are without their looks. */
const { createElement, forwardRef } = require('react');

const plain = tag =>
  forwardRef(({ appearance, minimal, ...props }, ref) =>
    createElement(tag, { ...props, ref })
  );

module.exports = {
  Button: plain('button'),
  Search: plain('input'),
  TreeItem: plain('div'),
  TreeView: plain('div')
};
